// Small form parts that the lobby's cards share.

import { h, toast } from './dom.js';
import { inWords } from './problems.js';

/** Radio buttons that look like one switch. `choices`: [[value, label], …]; the first is chosen. */
export function segments(name, legend, choices) {
  return h(
    'fieldset',
    { class: 'segments' },
    h('legend', {}, legend),
    h(
      'div',
      {},
      choices.map(([value, label], index) =>
        h(
          'label',
          {},
          h('input', { type: 'radio', name, value, checked: index === 0 }),
          h('span', {}, label),
        ),
      ),
    ),
  );
}

/** A form whose submission runs `work(values)`, once at a time, and tells what went wrong. */
export function form(attributes, work, ...children) {
  const submit = async (event) => {
    event.preventDefault();
    const element = event.currentTarget;
    const buttons = element.querySelectorAll('button');
    const values = Object.fromEntries(new FormData(element));
    buttons.forEach((button) => {
      button.disabled = true;
    });
    try {
      await work(values);
    } catch (problem) {
      toast(inWords(problem));
    } finally {
      buttons.forEach((button) => {
        button.disabled = false;
      });
    }
  };
  return h('form', { ...attributes, onsubmit: submit }, ...children);
}
