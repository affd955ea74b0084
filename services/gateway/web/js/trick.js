// The cards on the table, each lying toward the player it came from, and the last trick on
// demand.

import { cardArt, pipArt } from './cards/faces.js';
import { button, h, redraw, syncList } from './dom.js';
import { positionOf } from './seats.js';
import { openSheet } from './sheet.js';
import { cardName, count, says, seatName } from './words.js';

const SPATZ = 'H6';

const laid = (view, trick) =>
  trick.cards.map((card, index) => {
    const seat = (trick.leader + index) % view.seats.length;
    return { card, seat, at: positionOf(view, seat) };
  });

const winningCard = (view, { leader, winner, cards }) =>
  cards[(winner - leader + view.seats.length) % view.seats.length];

/** Whether the trick was won by the six of hearts in a game that rewards it. */
const isSpatz = (view, trick) =>
  (view.rules.ruleset === 'brixental' || view.rules.options.spatz === true) &&
  winningCard(view, trick) === SPATZ;

export function trickOutcome(view, trick) {
  const spatz = isSpatz(view, trick) ? ' The Spatz!' : '';
  return `${says(view, trick.winner, 'take')} it: ${count(trick.points, 'point')}.${spatz}`;
}

function picture(view, { card, seat, at }) {
  return h(
    'div',
    {
      class: `laid at-${at}`,
      role: 'img',
      'aria-label': `${seatName(view, seat)}: ${cardName(card)}`,
    },
    cardArt(card),
  );
}

/** Draws the running trick, or `held`, the one just completed. */
export function renderTrick(host, view, held) {
  if (!host.firstElementChild?.matches('.trick')) {
    host.replaceChildren(
      h('div', { class: 'trick', 'data-testid': 'trick' }),
      h('p', { class: 'outcome', 'data-testid': 'outcome' }),
      h('div', { class: 'trick-tools' }),
    );
  }
  const [cards, outcome, tools] = host.children;
  const trick = held ?? view.deal?.trick ?? { leader: 0, cards: [] };
  syncList(
    cards,
    laid(view, trick),
    ({ card }) => card,
    (entry) => picture(view, entry),
    (element, { seat }) => {
      element.classList.toggle('winning', held?.winner === seat);
    },
  );
  cards.classList.toggle('complete', Boolean(held));
  outcome.textContent = held ? trickOutcome(view, held) : '';
  const last = view.deal?.last_trick;
  const openLast = () => openSheet('Last trick', lastTrick(view, last));
  redraw(
    tools,
    [last, held],
    () => last && !held && button('quiet small', 'last-trick', openLast, 'Last trick'),
  );
}

function lastTrick(view, trick) {
  return h(
    'div',
    { class: 'last-trick' },
    h(
      'div',
      { class: 'card-row' },
      laid(view, trick).map((entry) =>
        h(
          'figure',
          { class: entry.seat === trick.winner ? 'winning' : '' },
          cardArt(entry.card),
          h('figcaption', {}, seatName(view, entry.seat)),
        ),
      ),
    ),
    h(
      'p',
      {},
      trickOutcome(view, trick),
      isSpatz(view, trick) ? pipArt('sparrow') : null,
    ),
  );
}
