// The score sheet: one entry per deal, as the server scored it, with the running totals.

import { cardArt, pipArt } from './cards/faces.js';
import { h, redraw } from './dom.js';
import { openSheet } from './sheet.js';
import { cardName, contract, count, seatName, signed } from './words.js';

const cardRow = (label, cards) =>
  cards.length
    ? h(
        'div',
        { class: 'mini-row' },
        h('span', {}, label),
        cards.map((card) =>
          h('span', { class: 'mini', role: 'img', 'aria-label': cardName(card) }, cardArt(card)),
        ),
      )
    : null;

/** "Vroni: Look in, 75 points, made" */
export function dealLine(view, { declarer, counted }) {
  if (!declarer) return counted ? 'Nobody bid again: no score' : 'Nobody bid: dealt again';
  const name = seatName(view, declarer.seat);
  const points = count(declarer.card_points, 'point');
  const outcome = declarer.made ? 'made' : 'lost';
  return `${name}: ${contract(declarer.contract).name}, ${points}, ${outcome}`;
}

const hasSpatz = ({ declarer }) => declarer?.spatz.some((points) => points !== 0);

function spatzLine(view, score) {
  if (!hasSpatz(score)) return null;
  const { declarer } = score;
  const winners = declarer.spatz.flatMap((points, seat) =>
    points > 0 ? [seatName(view, seat)] : [],
  );
  const value = Math.max(...declarer.spatz);
  return h(
    'p',
    { class: 'spatz', 'data-testid': 'spatz' },
    pipArt('sparrow'),
    ` Spatz for ${winners.join(', ')}: ${signed(value)} each`,
  );
}

function details(view, score) {
  if (!score.declarer) return [];
  const { tricks, value, talon, discards } = score.declarer;
  return [
    h(
      'p',
      { class: 'note' },
      `${count(tricks, 'trick')} · deal counts ${signed(value)} for the declarer`,
    ),
    spatzLine(view, score),
    cardRow('Talon', talon),
    cardRow('Laid off', discards),
  ];
}

/** A number with its sign, green or red. */
export function amount(tag, value, className = '') {
  const tone = value > 0 ? 'plus' : value < 0 ? 'minus' : '';
  return h(tag, { class: `${className} ${tone}`.trim() }, signed(value));
}

function entry(view, score) {
  const cells = (values) => values.map((value) => amount('td', value));
  return h(
    'tbody',
    { 'data-testid': `score-${score.number}` },
    h(
      'tr',
      { class: 'deal-line' },
      h(
        'td',
        { colspan: view.seats.length + 1 },
        h(
          'details',
          {},
          h(
            'summary',
            {},
            h('b', {}, `${score.number}`),
            ` ${dealLine(view, score)} `,
            hasSpatz(score) && pipArt('sparrow'),
          ),
          details(view, score),
        ),
      ),
    ),
    h('tr', {}, h('th', { scope: 'row' }, 'Deal'), cells(score.points)),
    h('tr', { class: 'totals' }, h('th', { scope: 'row' }, 'Total'), cells(score.totals)),
  );
}

export function scoreTable(view) {
  if (!view.score_sheet.length)
    return h('p', { class: 'note', 'data-testid': 'score-empty' }, 'No deal has been scored yet.');
  return h(
    'table',
    { class: 'score-table', 'data-testid': 'score-table' },
    h(
      'thead',
      {},
      h(
        'tr',
        {},
        h('th', {}),
        view.seats.map((seat) => h('th', { scope: 'col' }, seatName(view, seat.seat))),
      ),
    ),
    [...view.score_sheet].reverse().map((score) => entry(view, score)),
  );
}

export const openScore = (view) => openSheet('Score sheet', scoreTable(view));

export function renderScoreSide(host, view) {
  redraw(host, [view.score_sheet, view.seats.map((seat) => seat.occupant)], () => [
    h('h2', {}, 'Score sheet'),
    scoreTable(view),
  ]);
}

/** What a deal came to, shown in the middle between two deals. */
export function dealResult(view) {
  const score = view.score_sheet.at(-1);
  return h(
    'div',
    { class: 'deal-result', 'data-testid': 'deal-result' },
    h('h2', {}, `Deal ${score.number}`),
    h('p', {}, dealLine(view, score)),
    h(
      'ul',
      { class: 'deal-points' },
      score.points.map((points, seat) =>
        h(
          'li',
          {},
          h('span', {}, seatName(view, seat)),
          amount('b', points),
          h('small', {}, `total ${signed(score.totals[seat])}`),
        ),
      ),
    ),
    details(view, score),
  );
}
