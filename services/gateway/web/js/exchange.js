// The exchange: the declarer sees the talon and lays off as many cards as the server asks for.

import { h, syncList } from './dom.js';
import { cardButton, dressCard, takenUp } from './hand.js';
import { count, says, suitLetter } from './words.js';

/** Dobbm: with each ace goes a trump that is no ace. Says what is missing, or null. */
export function missingTrumps({ aces_need_trumps: asked }, { trump }, chosen) {
  if (!asked) return null;
  const letter = suitLetter(trump);
  const aces = chosen.filter((card) => card[1] === 'A').length;
  const trumps = chosen.filter((card) => card[0] === letter && card[1] !== 'A').length;
  if (trumps >= aces) return null;
  const noAces = aces === 1 ? 'is no ace' : 'are no aces';
  return `With ${count(aces, 'ace')} you must lay off ${count(aces, 'trump')} that ${noAces}.`;
}

function explanation(cards, discard) {
  const whose = cards.some((card) => discard.from.includes(card))
    ? 'They are yours now. Lay off any of your cards.'
    : 'They are yours now and stay. Lay off cards from your hand below.';
  return discard.aces_need_trumps ? `${whose} With each ace goes a trump that is no ace.` : whose;
}

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
  const chosen = [...player.chosen];
  const missing = missingTrumps(discard, view.deal, chosen);
  note.textContent = missing ?? explanation(cards, discard);
  note.classList.toggle('warning', missing !== null);
  button.textContent = `Lay off ${count(discard.count, 'card')} (${chosen.length} chosen)`;
  button.disabled = chosen.length !== discard.count || missing !== null;
  button.onclick = () => player.move({ type: 'discard', cards: chosen });
}
