// The player's cards as a fan of buttons. Which may be tapped comes from the legal actions alone.

import { cardArt } from './cards/faces.js';
import { h, syncList } from './dom.js';
import { sortedHand } from './order.js';
import { cardName } from './words.js';

const MANY = 8;

/** What tapping a card would do now: {play: Set, choose: Set}. */
function offers(view) {
  const play = new Set(
    view.legal_actions.filter((action) => action.type === 'play').map((action) => action.card),
  );
  const choose = new Set(
    view.legal_actions.find((action) => action.type === 'discard')?.from ?? [],
  );
  return { play, choose };
}

/** During the exchange the talon's cards lie in the middle, not in the fan. */
export const takenUp = (view) => (view.phase === 'exchange' && view.deal.talon) || [];

export function cardButton(card) {
  return h(
    'button',
    { type: 'button', class: 'card', 'data-testid': `card-${card}`, 'data-card': card },
    cardArt(card),
  );
}

/** Makes the button offer what the view allows. */
export function dressCard(button, card, view, player) {
  const { play, choose } = offers(view);
  const chosen = player.chosen.has(card);
  const usable = play.has(card) || choose.has(card);
  const choosing = play.size + choose.size > 0;
  button.classList.toggle('usable', usable);
  button.classList.toggle('blocked', choosing && !usable);
  button.classList.toggle('chosen', chosen);
  button.setAttribute('aria-disabled', String(!usable));
  button.setAttribute(
    'aria-label',
    `${cardName(card)}${chosen ? ', chosen' : choosing && !usable ? ', not allowed now' : ''}`,
  );
  if (choose.size) button.setAttribute('aria-pressed', String(chosen));
  else button.removeAttribute('aria-pressed');
  button.onclick = () => {
    if (play.has(card)) player.move({ type: 'play', card });
    else if (choose.has(card)) player.toggle(card);
  };
}

export function renderHand(host, view, player) {
  const taken = new Set(takenUp(view));
  const cards = view.deal ? sortedHand(view.deal).filter((card) => !taken.has(card)) : [];
  host.style.setProperty('--gaps', Math.max(1, cards.length - 1));
  host.classList.toggle('many', cards.length > MANY);
  syncList(
    host,
    cards,
    (card) => card,
    (card) => cardButton(card),
    (button, card) => dressCard(button, card, view, player),
  );
}
