// Standings of a ladder as a table: page by page from the top, or around one player.

import { getAround, getStandings } from '../api.js';
import { h } from '../dom.js';
import { pagedList } from '../paging.js';
import { playerAddress } from '../route.js';
import { tierBadge } from './tiers.js';

const COLUMNS = [
  ['#', 'rank'],
  ['Player', 'who'],
  ['Tier', 'tier-cell'],
  ['Rating', 'number-cell'],
  ['Matches', 'number-cell'],
];

const frame = (list) =>
  h(
    'table',
    { class: 'standings', 'data-testid': 'standings' },
    h(
      'thead',
      {},
      h(
        'tr',
        {},
        COLUMNS.map(([title, look]) => h('th', { scope: 'col', class: look }, title)),
      ),
    ),
    list,
  );

function row({ rank, player, rating, matches, tier }, ladder, me) {
  const mine = player.id === me.id;
  return h(
    'tr',
    { class: mine ? 'mine' : '', 'data-player': player.id },
    h('td', { class: 'rank' }, String(rank)),
    h(
      'th',
      { scope: 'row', class: 'who' },
      h(
        'a',
        { href: playerAddress(player.id, ladder) },
        h('span', {}, player.name, mine && h('small', {}, ' (you)')),
      ),
    ),
    h('td', { class: 'tier-cell' }, tierBadge(tier)),
    h('td', { class: 'number-cell' }, String(rating)),
    h('td', { class: 'number-cell' }, String(matches)),
  );
}

const nobody = () => h('p', { 'data-testid': 'no-standings' }, 'Nobody is listed in this season.');

const page = async (ladder, cursor) => {
  const { standings, next } = await getStandings(ladder, cursor);
  return { items: standings, next };
};

/** The first page from the top. */
export const loadTop = (ladder) => page(ladder);

/** Those around `me`, in the form of a last page. */
export const loadAround = async (ladder, me) => ({
  items: await getAround(ladder, me.id),
  next: null,
});

export function drawStandings(first, ladder, me) {
  if (!first.items.length) return nobody();
  const list = h('tbody', {});
  return pagedList(first, {
    load: (cursor) => page(ladder, cursor),
    row: (standing) => row(standing, ladder, me),
    list,
    frame: frame(list),
  });
}
