// The steps of a ladder of contracts: choose a level, read what it asks for, confirm. Two taps,
// since a wrong level would be dear.

import { button, h } from './dom.js';
import { contract } from './contracts.js';

/** `verb`: what the button says it does; `take(id)` does it. */
export function ladderSteps(ids, game, verb, take) {
  let chosen = ids[0];
  const levels = ids.map((id) =>
    button('chip', `level-${id}`, () => choose(id), contract(id, game).label),
  );
  const title = h('b', {});
  const text = h('small', {});
  const confirm = button('primary bid-confirm', 'bid-confirm', () => take(chosen), title, text);

  function choose(id) {
    chosen = id;
    const words = contract(id, game);
    title.textContent = `${verb} ${words.name}`;
    text.textContent = words.text;
    levels.forEach((level, index) => {
      level.setAttribute('aria-pressed', String(ids[index] === id));
      level.setAttribute('aria-label', contract(ids[index], game).name);
    });
  }

  choose(chosen);
  const several = ids.length > 1 && h('div', { class: 'chips' }, levels);
  return h('div', { class: 'steps' }, several, confirm);
}
