// The order of the cards in hand: trumps first once they are known, and in a contract without trump
// the tens where they rank there.

import { suitLetter } from './words.js';

const SUITS = 'EGHS';
const RANKS = 'AXKOU9876';
const RANKS_TENS_LOW = 'AKOUX9876';

export const tensAreLow = (deal) => deal?.declaration?.goal === 'no_trick';

export function sortedHand(deal) {
  const low = tensAreLow(deal);
  if (!deal.trump && !low) return deal.hand;
  const first = suitLetter(deal.trump);
  const ranks = low ? RANKS_TENS_LOW : RANKS;
  const place = ([suit, rank]) =>
    (suit === first ? 0 : 1 + SUITS.indexOf(suit)) * ranks.length + ranks.indexOf(rank);
  return [...deal.hand].sort((some, other) => place(some) - place(other));
}
