// Form fields for the options of a rule set, made from what /v1/rulesets says about them: a list
// of values, a range of numbers, or names with a number such as rounds(4).

import { h } from '../dom.js';
import { segments } from '../forms.js';
import { choiceInWords, optionInWords } from './option-words.js';

const NUMBER = /^a whole number from (\d+) to (\d+)$/;
const NUMBERED = /^(\w+)\((\d+)\) to \1\((\d+)\)$/;
/** What a number starts with when its default belongs to another name. */
const SUGGESTED = { rounds: 2, points: 100 };

const field = (name) => `option.${name}`;

const numberInput = (name, value, [min, max], label) =>
  h('input', {
    type: 'number',
    inputmode: 'numeric',
    required: true,
    name,
    value,
    min,
    max,
    'aria-label': label,
  });

function flag({ name, default: value }) {
  return h(
    'label',
    { class: 'flag' },
    h('input', { type: 'checkbox', name: field(name), checked: value === true }),
    h('span', {}, optionInWords(name)),
  );
}

function choice({ name, values, default: value }) {
  const choices = values.map((each) => [String(each), choiceInWords(name, each)]);
  return segments(field(name), optionInWords(name), choices, String(value));
}

function number({ name, values, default: value }) {
  const [, ...range] = NUMBER.exec(values[0]);
  const label = optionInWords(name);
  return h(
    'label',
    { class: 'number' },
    h('span', {}, label),
    numberInput(field(name), value, range, label),
  );
}

/** `rounds(1) to rounds(100)` and the like: which name, and its number. */
function numbered({ name, values, default: value }) {
  const kinds = values.map((text) => NUMBERED.exec(text).slice(1));
  const [, chosen, amount] = /^(\w+)\((\d+)\)$/.exec(value);
  const input = numberInput(field(`${name}.n`), amount, [], 'how many');
  const show = (kind) => {
    const [, min, max] = kinds.find(([each]) => each === kind);
    Object.assign(input, { min, max, value: kind === chosen ? amount : (SUGGESTED[kind] ?? min) });
  };
  show(chosen);
  const choices = kinds.map(([kind]) => [kind, choiceInWords(name, kind)]);
  const kind = segments(field(`${name}.kind`), optionInWords(name), choices, chosen);
  kind.addEventListener('change', ({ target }) => show(target.value));
  kind.classList.toggle('single', kinds.length === 1);
  return h('div', { class: 'numbered' }, kind, input);
}

function kindOf({ values }) {
  if (values.every((value) => typeof value === 'boolean')) return flag;
  if (values.every((value) => NUMBERED.test(value))) return numbered;
  if (values.every((value) => NUMBER.test(value))) return number;
  return choice;
}

export const optionField = (option) => kindOf(option)(option);

function valueOf(option, values) {
  const sent = values[field(option.name)];
  switch (kindOf(option)) {
    case flag:
      return sent !== undefined;
    case number:
      return Number(sent);
    case numbered:
      return `${values[field(`${option.name}.kind`)]}(${values[field(`${option.name}.n`)]})`;
    default:
      return sent;
  }
}

/** What differs from the defaults: only that is sent. */
export function chosenOptions(options, values) {
  const chosen = options.map((option) => [option, valueOf(option, values)]);
  return Object.fromEntries(
    chosen
      .filter(([option, value]) => value !== option.default)
      .map(([option, value]) => [option.name, value]),
  );
}
