// The players around the table: who, how many points and tricks, what they bid, whose turn it is.

import { pipArt } from './cards/faces.js';
import { contract } from './contracts.js';
import { button, h, redraw } from './dom.js';
import { potPlate } from './pot.js';
import { count, occupantName, signed } from './words.js';

const AROUND = { 3: ['me', 'left', 'right'], 4: ['me', 'left', 'top', 'right'] };

/** Where a seat is drawn: clockwise from the viewer, who sits at the bottom. */
export function positionOf(view, seat) {
  const players = view.seats.length;
  return AROUND[players][(seat - view.my_seat + players) % players];
}

const byPosition = ['left', 'top', 'right'];
const PASS = 'Pass';

export function renderSeats(opponents, own, view, player) {
  const others = view.seats
    .filter((seat) => seat.seat !== view.my_seat)
    .sort(
      (a, b) =>
        byPosition.indexOf(positionOf(view, a.seat)) - byPosition.indexOf(positionOf(view, b.seat)),
    );
  redraw(
    opponents,
    [others.map((seat) => seatKey(view, seat)), view.pot],
    () => [...others.map((seat) => opponentPlate(view, seat)), potPlate(view)],
  );
  const me = view.seats[view.my_seat];
  redraw(own, [seatKey(view, me), me.bank_seconds, mayReturn(view)], () =>
    ownPlate(view, me, player),
  );
}

/** Everything a plate shows: it is redrawn only when that changes, the clock runs in between. */
function seatKey(view, seat) {
  const { deal, turn, phase } = view;
  return [
    seat,
    bidOf(view, seat.seat),
    turn?.seat === seat.seat,
    turn?.started_at,
    phase,
    deal?.dealer,
    deal?.forehand,
    deal?.declaration,
    deal?.doubled_by,
    deal?.redoubled,
  ];
}

const mayReturn = (view) => view.legal_actions.some((action) => action.type === 'return');

function avatar(seat) {
  const box = h('span', { class: 'avatar', 'aria-hidden': 'true' });
  box.innerHTML = `<svg viewBox="0 0 40 40"><circle class="track" cx="20" cy="20" r="18"/>
    <circle class="ring" cx="20" cy="20" r="18" pathLength="100" stroke-dasharray="100"
      stroke-dashoffset="100" transform="rotate(-90 20 20)"/></svg>`;
  const { occupant } = seat;
  const initial = occupant?.name ? [...occupant.name][0].toUpperCase() : '?';
  box.append(
    occupant?.type === 'bot'
      ? pipArt('EGHS'[seat.seat % 4])
      : h('span', { class: 'initial' }, initial),
  );
  return box;
}

function badges(view, seat) {
  const { deal } = view;
  const badge = (kind, text, title) =>
    h('span', { class: `badge ${kind}`, title, role: 'img', 'aria-label': title }, text);
  return [
    deal?.dealer === seat.seat && badge('dealer', 'D', 'dealer'),
    deal?.forehand === seat.seat && badge('forehand', 'F', 'forehand: bids first'),
    deal?.declaration?.declarer === seat.seat && badge('declarer', '★', 'declarer'),
    deal?.doubled_by === seat.seat && badge('doubled', '×2', 'doubled'),
    deal?.redoubled &&
      deal.declaration.declarer === seat.seat &&
      badge('doubled', '×4', 'redoubled'),
    seat.away && badge('away', 'away', 'away: a bot plays'),
  ];
}

function bidOf(view, seat) {
  if (view.phase !== 'auction' && view.phase !== 'announcement') return null;
  const last = view.deal.auction.filter((entry) => entry.seat === seat).at(-1);
  if (!last) return null;
  if (last.hold) return 'Holds';
  return last.bid ? contract(last.bid, view.rules.ruleset).name : PASS;
}

function facts(view, seat) {
  const line = (text) => h('span', { class: 'seat-facts' }, text);
  if (view.phase === 'seating')
    return [line(seat.ready ? 'ready' : seat.occupant ? 'on the way' : '')];
  const score = line(`Score ${signed(seat.score).replace('+', '')}`);
  return view.phase === 'play' ? [score, line(count(seat.tricks, 'trick'))] : [score];
}

/** What every plate has; `place` says where it stands, `extra` follows the facts. */
function plate(view, seat, place, ...extra) {
  const bid = bidOf(view, seat.seat);
  const states = [view.turn?.seat === seat.seat && 'on-turn', !seat.occupant && 'free'];
  return h(
    'div',
    {
      class: ['seat', place, ...states.filter(Boolean)].join(' '),
      'data-seat': seat.seat,
      'data-testid': `seat-${seat.seat}`,
    },
    avatar(seat),
    h('span', { class: 'seat-name' }, occupantName(seat)),
    facts(view, seat),
    bid && h('span', { class: bid === PASS ? 'bubble pass' : 'bubble' }, bid),
    h('span', { class: 'badges' }, badges(view, seat)),
    extra,
  );
}

const opponentPlate = (view, seat) => plate(view, seat, `at-${positionOf(view, seat.seat)}`);

function returnButton(player) {
  const comeBack = () => player.request({ type: 'return' });
  return button('primary back', 'return', comeBack, 'I’m back');
}

function clock(seat) {
  return h(
    'span',
    { class: 'clock', 'data-testid': 'clock' },
    h('span', { class: 'time-left' }),
    h('small', { title: 'time bank' }, `bank ${Math.round(seat.bank_seconds)} s`),
  );
}

function ownPlate(view, seat, player) {
  return plate(view, seat, 'me', mayReturn(view) ? returnButton(player) : clock(seat));
}
