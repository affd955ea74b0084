// The exchange: the declarer sees the talon and lays off as many cards as the server asks for.

import { h, syncList } from './dom.js';
import { cardButton, dressCard, takenUp } from './hand.js';
import { count, says } from './words.js';

export function renderExchange(host, view, player) {
  const discard = view.legal_actions.find((action) => action.type === 'discard');
  if (!discard) {
    const who = says(view, view.deal.declaration.declarer, 'look');
    host.replaceChildren(
      h('p', { class: 'panel-note' }, `${who} into the talon. Nobody else sees it.`),
    );
    return;
  }
  if (!host.firstElementChild?.matches('.exchange')) {
    host.replaceChildren(
      h(
        'div',
        { class: 'exchange', 'data-testid': 'exchange' },
        h('h2', {}, 'Your talon'),
        h('div', { class: 'talon' }),
        h('p', {}),
        h('button', { type: 'button', class: 'primary', 'data-testid': 'discard' }),
      ),
    );
  }
  const [, talon, note, button] = host.firstElementChild.children;
  const cards = takenUp(view);
  syncList(
    talon,
    cards,
    (card) => card,
    (card) => cardButton(card),
    (element, card) => dressCard(element, card, view, player),
  );
  note.textContent = cards.some((card) => discard.from.includes(card))
    ? 'They are yours now. Lay off any of your cards.'
    : 'They are yours now and stay. Lay off cards from your hand below.';
  button.textContent = `Lay off ${count(discard.count, 'card')} (${player.chosen.size} chosen)`;
  button.disabled = player.chosen.size !== discard.count;
  button.onclick = () => player.move({ type: 'discard', cards: [...player.chosen] });
}
