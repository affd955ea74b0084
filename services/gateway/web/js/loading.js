// Parts of a page that come from the server: a word while they are on the way, what went wrong
// and a way to ask again, or what came.

import { button, h } from './dom.js';
import { inWords } from './problems.js';

/** What went wrong, and a way to ask again. */
export const failure = (problem, again) =>
  h(
    'div',
    { class: 'failure', role: 'alert', 'data-testid': 'failure' },
    h('p', {}, inWords(problem)),
    button('quiet', 'try-again', again, 'Try again'),
  );

const latest = new WeakMap();

/**
 * Fills `host` with what `load` gives, made by `draw` (an element or a list of them). Only the
 * latest call for a host draws: an answer that comes late is not shown over a newer choice.
 */
export async function fill(host, load, draw) {
  const mine = {};
  latest.set(host, mine);
  host.setAttribute('aria-busy', 'true');
  if (!host.hasChildNodes()) host.append(h('p', { class: 'note' }, 'Loading …'));
  let content;
  try {
    content = draw(await load());
  } catch (problem) {
    content = failure(problem, async () => {
      host.replaceChildren();
      await fill(host, load, draw);
      // The button that had the focus is gone.
      host.tabIndex = -1;
      host.focus();
    });
  }
  if (latest.get(host) !== mine) return;
  host.removeAttribute('aria-busy');
  host.replaceChildren(...[content].flat().filter(Boolean));
}
