// The end of a match: places, scores, what is paid, the change of rating, and whether the shuffle
// was honest.

import { button, h } from './dom.js';
import { openPairing } from './ranking/pairing.js';
import { amount, openScore } from './score.js';
import { closeSheet } from './sheet.js';
import { seatName, signed } from './words.js';

const SEALS = {
  verified: '✓ Shuffle verified: recomputed here, deal by deal. Nobody chose the cards.',
  broken: '✗ The shuffle does NOT match what was sealed before the match.',
  unknown: 'The shuffle could not be checked on this device.',
};

function seal(player) {
  const line = h('p', { class: 'seal', 'data-testid': 'seal' }, 'Checking the shuffle …');
  player.seal().then((state) => {
    line.dataset.state = state;
    line.textContent = SEALS[state];
  });
  return line;
}

function rating(view, { occupant }) {
  const change = view.rating_changes.find((entry) => entry.player_id === occupant?.id);
  if (!change) return null;
  const text = `rating ${change.after} (${signed(change.after - change.before)})`;
  return h('small', { 'data-testid': 'rating' }, text);
}

function headline({ result, my_seat: seat }) {
  if (result.abandoned[seat]) return 'You left this match';
  const place = result.places[seat];
  return place === 1 ? 'You win!' : `You are ${['second', 'third', 'fourth'][place - 2]}`;
}

/** The columns that this game has: [title, what stands there, class]. */
function columns({ scores, pot_shares: shares, settlement }) {
  return [
    shares.length && ['from pot', (seat) => amount('span', shares[seat], 'share')],
    ['score', (seat) => h('span', { class: 'end-score' }, signed(scores[seat]))],
    settlement.length && ['paid', (seat) => amount('span', settlement[seat], 'pays')],
  ].filter(Boolean);
}

function row(view, seat) {
  const { places, abandoned } = view.result;
  const remark = abandoned[seat] ? h('small', {}, 'left') : rating(view, view.seats[seat]);
  return h(
    'li',
    { class: seat === view.my_seat ? 'mine' : '' },
    h('span', { class: 'place' }, `${places[seat]}.`),
    h('span', { class: 'who' }, h('b', {}, seatName(view, seat)), remark),
    columns(view.result).map(([, cell]) => cell(seat)),
  );
}

/** How the match was settled, where there is something to say. */
function settled({ pot_shares: shares, settlement }) {
  if (settlement.length) return 'Everyone pays the winner the difference; the last pays 20 more.';
  if (shares.length) return 'What was left in the pot is shared, and part of the scores.';
  return 'Every deal was paid at once.';
}

export function finishPanel(view, player) {
  const { places } = view.result;
  const order = view.seats.map(({ seat }) => seat).sort((a, b) => places[a] - places[b]);
  const why = () =>
    openPairing(view.id, (address) => {
      closeSheet();
      player.toPage(address);
    });
  const titles = columns(view.result).map(([title]) => h('span', {}, title));
  return h(
    'div',
    { class: `finish columns-${titles.length}`, 'data-testid': 'finish' },
    h('h2', {}, headline(view)),
    h(
      'div',
      { class: 'finish-columns', 'aria-hidden': 'true' },
      h('span', {}),
      h('span', {}),
      titles,
    ),
    h(
      'ol',
      {},
      order.map((seat) => row(view, seat)),
    ),
    h('p', { class: 'note' }, settled(view.result)),
    seal(player),
    h(
      'div',
      { class: 'sheet-buttons' },
      button('quiet', 'finish-score', () => openScore(player.current()), 'Score sheet'),
      view.kind !== 'private' && button('quiet', 'why-paired', why, 'Why were we matched?'),
      button('primary', 'to-lobby', player.toLobby, 'To the lobby'),
    ),
  );
}
