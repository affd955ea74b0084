// Small form parts that the lobby's cards share.

import { h, toast } from './dom.js';
import { inWords } from './problems.js';

/** Radio buttons that look like one switch. `choices`: [[value, label], …]. */
export function segments(name, legend, choices, chosen = choices[0][0]) {
  return h(
    'fieldset',
    { class: 'segments' },
    h('legend', {}, legend),
    h(
      'div',
      {},
      choices.map(([value, label]) =>
        h(
          'label',
          {},
          h('input', { type: 'radio', name, value, checked: value === chosen }),
          h('span', {}, label),
        ),
      ),
    ),
  );
}

/** A list to choose one of. `choices`: [[value, label], …]; `onChoose(value)`. */
export function selection(name, label, choices, chosen, onChoose) {
  return h(
    'label',
    { class: 'selection' },
    h('span', {}, label),
    h(
      'select',
      { 'data-testid': `select-${name}`, onchange: ({ target }) => onChoose(target.value) },
      choices.map(([value, text]) => h('option', { value, selected: value === chosen }, text)),
    ),
  );
}

/** Says what went wrong in the form's own place for that, else at the edge of the screen. */
function complain(element, words) {
  const place = element.querySelector('.refused');
  if (!place) {
    toast(words);
    return;
  }
  place.textContent = words;
  place.hidden = false;
}

/** A form whose submission runs `work(values)`, once at a time, and tells what went wrong. */
export function form(attributes, work, ...children) {
  const submit = async (event) => {
    event.preventDefault();
    const element = event.currentTarget;
    const buttons = element.querySelectorAll('button');
    const values = Object.fromEntries(new FormData(element));
    element.querySelector('.refused')?.setAttribute('hidden', '');
    buttons.forEach((button) => {
      button.disabled = true;
    });
    try {
      await work(values);
    } catch (problem) {
      complain(element, inWords(problem));
    } finally {
      buttons.forEach((button) => {
        button.disabled = false;
      });
    }
  };
  return h('form', { ...attributes, onsubmit: submit }, ...children);
}

/**
 * Asks for the code that a friend passed on, and runs `join(code)`. `name` is what tests find the
 * field by, `of` what the code is of.
 */
export function codeForm(name, of, join) {
  return form(
    { class: 'join' },
    ({ code }) => join(code.trim().toUpperCase()),
    h('input', {
      name: 'code',
      required: true,
      maxlength: 12,
      autocomplete: 'off',
      autocapitalize: 'characters',
      spellcheck: 'false',
      placeholder: 'Code',
      'aria-label': `Code of the ${of}`,
      'data-testid': `${name}-code`,
    }),
    h('button', { class: 'primary', 'data-testid': name }, 'Join'),
  );
}
