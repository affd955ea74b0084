// Why the players of a match were brought together: what matchmaking knew when it did so.

import { getPairing } from '../api.js';
import { h } from '../dom.js';
import { fill } from '../loading.js';
import { playerAddress } from '../route.js';
import { openSheet } from '../sheet.js';
import { count, spanInWords } from '../words.js';

function facts({ rating, waited_seconds: waited, rating_window: window, party }) {
  return [
    `rating ${rating}`,
    `waited ${spanInWords(waited)}`,
    window === null ? 'any rating would do' : `would play up to ${window} points away`,
    party && `party ${party}`,
  ]
    .filter(Boolean)
    .join(' · ');
}

function paired(entry, onPlayer) {
  const { id, name } = entry.player;
  const leave = (event) => {
    event.preventDefault();
    onPlayer(playerAddress(id));
  };
  const link = { class: 'text-link', href: playerAddress(id), onclick: onPlayer && leave };
  return h(
    'li',
    { 'data-testid': 'paired-player' },
    h('a', link, name),
    h('span', { class: 'note' }, facts(entry)),
  );
}

function summary({ rating_spread: spread, recent_opponents: repeats, bots, players }) {
  return [
    players.length > 1 && `Between the highest and the lowest rating lie ${spread} points.`,
    players.length > 1 &&
      (repeats
        ? `${count(repeats, 'pair')} had met shortly before: nobody else was there.`
        : 'Nobody had met a short time before.'),
    bots > 0 && `After the wait, bots took ${count(bots, 'seat')}.`,
  ].filter(Boolean);
}

/** Null when it is not known any more. */
async function load(matchId) {
  try {
    return await getPairing(matchId);
  } catch (problem) {
    if (problem.status === 404) return null;
    throw problem;
  }
}

function draw(pairing, onPlayer) {
  if (!pairing) return h('p', {}, 'How this match was made is not known any more.');
  return [
    h('p', {}, 'Who waits longest is seated first, with the others who fit best.'),
    h(
      'ul',
      { class: 'paired' },
      pairing.players.map((entry) => paired(entry, onPlayer)),
    ),
    ...summary(pairing).map((text) => h('p', { class: 'note' }, text)),
  ];
}

/** `onPlayer(address)` goes to a player's page where a plain link would not do. */
export function openPairing(matchId, onPlayer) {
  const body = h('div', { class: 'stack', 'data-testid': 'pairing' });
  openSheet('Why were we matched?', body);
  fill(
    body,
    () => load(matchId),
    (pairing) => draw(pairing, onPlayer),
  );
}
