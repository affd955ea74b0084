// The score sheet: one entry per deal, as the server scored it, with the running totals.

import { cardArt, pipArt } from './cards/faces.js';
import { contract } from './contracts.js';
import { h, redraw } from './dom.js';
import { hasPot } from './pot.js';
import { openSheet } from './sheet.js';
import { cardName, count, seatName, signed, suitLetter, trumpInWords } from './words.js';

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
  if (!declarer) return counted ? 'Nobody bid: no score' : 'Nobody bid: dealt again';
  const name = seatName(view, declarer.seat);
  const { name: played } = contract(declarer.contract, view.rules.ruleset);
  const points = declarer.card_points === null ? null : count(declarer.card_points, 'point');
  const outcome = declarer.made ? 'made' : 'lost';
  return `${name}: ${[played, points, outcome].filter(Boolean).join(', ')}`;
}

const hasSpatz = ({ declarer }) => declarer?.spatz.some((points) => points !== 0);

function spatzLine(view, score) {
  if (!hasSpatz(score)) return null;
  const parts = score.declarer.spatz.flatMap((points, seat) =>
    points ? [`${seatName(view, seat)} ${signed(points)}`] : [],
  );
  return h(
    'p',
    { class: 'spatz', 'data-testid': 'spatz' },
    pipArt('sparrow'),
    ` Spatz: ${parts.join(', ')}`,
  );
}

function doublingOf(view, { doubled_by: doubledBy, redoubled }) {
  if (doubledBy === null) return [];
  return [`doubled by ${seatName(view, doubledBy)}`, redoubled && 'redoubled'].filter(Boolean);
}

function details(view, score) {
  if (!score.declarer) return [];
  const { tricks, trump, value, talon, discards } = score.declarer;
  const facts = [
    trump ? trumpInWords(trump) : 'no trump',
    ...doublingOf(view, score.declarer),
    count(tricks, 'trick'),
    `counts ${signed(value)}`,
  ];
  return [
    h('p', { class: 'note' }, trump && pipArt(suitLetter(trump)), ` ${facts.join(' · ')}`),
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

const row = (label, values, last, className = '') =>
  h('tr', { class: className }, h('th', { scope: 'row' }, label), values, last);

/** What filling the pot cost everyone before the deal. */
function stakeRow(view, { stake }) {
  if (!stake) return null;
  const paid = view.seats.map(() => amount('td', -stake));
  return row('Stake', paid, amount('td', stake * view.seats.length), 'stake');
}

function entry(view, score, pot) {
  const cells = (values) => values.map((value) => amount('td', value));
  const fromPot = score.points.reduce((sum, points) => sum + points, 0);
  return h(
    'tbody',
    { 'data-testid': `score-${score.number}` },
    h(
      'tr',
      { class: 'deal-line' },
      h(
        'td',
        { colspan: view.seats.length + (pot ? 2 : 1) },
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
    stakeRow(view, score),
    row('Deal', cells(score.points), pot && amount('td', -fromPot)),
    row('Total', cells(score.totals), pot && h('td', {}, String(score.pot)), 'totals'),
  );
}

export function scoreTable(view) {
  const pot = hasPot(view);
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
        pot && h('th', { scope: 'col' }, 'Pot'),
      ),
    ),
    [...view.score_sheet].reverse().map((score) => entry(view, score, pot)),
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
    hasPot(view) && h('p', { class: 'note' }, `In the pot: ${score.pot}`),
    details(view, score),
  );
}
