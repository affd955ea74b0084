// What the lobby shows: one page at a time, below the sparrow.

import { byId, clear, h } from './dom.js';
import { HOME_ADDRESS } from './route.js';

const TITLE = document.title;

/** The title of what is no page of the lobby. */
export function clearTitle() {
  document.title = TITLE;
}

/** Replaces what the lobby shows. */
export function showInLobby(...content) {
  const body = byId('lobby-body');
  clear(body);
  body.append(...content);
  const heading = body.querySelector('[data-page-title]');
  document.title = heading ? `${heading.textContent} · Spatz` : TITLE;
}

/** Puts the focus where a new page begins, so that keyboards and screen readers follow. */
export function focusPage() {
  const heading = byId('lobby-body').querySelector('[data-page-title]');
  (heading ?? byId('lobby-title')).focus({ preventScroll: true });
}

/** A page with a way back and its title. */
export function page(title, testId, ...content) {
  return h(
    'div',
    { class: 'page', 'data-testid': testId },
    h(
      'header',
      { class: 'page-head' },
      h('a', { class: 'back-home', href: HOME_ADDRESS, 'data-testid': 'back-home' }, '‹ Lobby'),
      h('h2', { tabindex: '-1', 'data-page-title': true }, title),
    ),
    ...content,
  );
}
