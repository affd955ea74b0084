// One sentence that says what is going on and what to do. It is read off the view: the legal
// actions tell what is allowed, the running trick tells why.

import { missingTrumps } from './exchange.js';
import { tensAreLow } from './order.js';
import { count, seatName, SUIT_NAMES } from './words.js';

const plays = (view) =>
  view.legal_actions.filter((action) => action.type === 'play').map((action) => action.card);

function ownTurn(view, chosen) {
  const discard = view.legal_actions.find((action) => action.type === 'discard');
  if (discard) {
    const missing = discard.count - chosen.size;
    if (missing > 0)
      return `Choose ${count(missing, missing < discard.count ? 'more card' : 'card')} to lay off.`;
    return missingTrumps(discard, view.deal, [...chosen])
      ? 'Not these cards together: choose others.'
      : 'Ready: lay them off.';
  }
  const cards = plays(view);
  if (cards.length) return `Your turn: ${whichCard(view, cards)}`;
  const offered = new Set(view.legal_actions.map(({ type }) => type));
  const asked = QUESTIONS.find(([type]) => offered.has(type));
  return asked ? `Your turn: ${asked[1]}` : 'Your turn.';
}

/** What a kind of action asks of the player; the first that is on offer counts. */
const QUESTIONS = [
  ['announce', 'name your contract.'],
  ['declare_trump', 'name the trump suit.'],
  ['redouble', 'redouble, or pass.'],
  ['double', 'double, or pass.'],
  ['hold', 'hold, or pass.'],
  ['bid', 'bid, or pass.'],
  ['pass', 'you can only pass.'],
];

function whichCard({ deal }, legal) {
  const led = deal.trick?.cards[0]?.[0];
  const low = tensAreLow(deal) ? ' Tens rank below the Unter.' : '';
  if (!led) return `lead any card.${low}`;
  const suits = new Set(legal.map((card) => card[0]));
  const [only] = suits;
  if (suits.size === 1 && only === led)
    return `play a card. You must follow ${SUIT_NAMES[led]}.${low}`;
  if (suits.size === 1 && SUIT_NAMES[only] === deal.trump && legal.length < deal.hand.length) {
    return `no ${SUIT_NAMES[led]}, so you must play a trump (${deal.trump}).`;
  }
  return `play any card.${low}`;
}

const OTHERS = {
  auction: (name) => `${name} is thinking about a bid.`,
  announcement: (name) => `${name} won the auction and names the contract.`,
  exchange: (name) => `${name} takes the talon and lays off cards.`,
  trump: (name) => `${name} names the trump suit.`,
  doubling: (name) => `${name} may double.`,
};

function othersTurn(view) {
  const name = seatName(view, view.turn.seat);
  return OTHERS[view.phase]?.(name) ?? `${name} to play.`;
}

function seating(view) {
  const free = view.seats.filter((seat) => !seat.occupant).length;
  if (free) return `Waiting for ${count(free, 'player')}.`;
  const late = view.seats.filter((seat) => !seat.ready).map((seat) => seatName(view, seat.seat));
  return late.length ? `Waiting for ${late.join(', ')}.` : 'Here we go.';
}

export function hintFor(view, chosen) {
  if (view.legal_actions.some((action) => action.type === 'return'))
    return 'You were away: a bot plays for you.';
  if (view.phase === 'seating') return seating(view);
  if (view.turn) return view.turn.seat === view.my_seat ? ownTurn(view, chosen) : othersTurn(view);
  if (view.phase === 'between_deals') return 'The next deal starts in a moment.';
  return '';
}
