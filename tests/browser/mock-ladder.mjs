// A ladder that no server has: long enough for pages, every tier in it, names at the limit. The
// browser gets it in place of the server's answers.

import { randomUUID } from 'node:crypto';

const TIERS = [
  'sau',
  'zehner',
  'koenig',
  'ober',
  'unter',
  'neuner',
  'achter',
  'siebener',
  'sechser',
];
const LADDER = {
  id: 'brixental-s7',
  ruleset: 'brixental',
  season: 7,
  opened_at: '2027-01-01T04:00:00Z',
  closed_at: null,
  closes_at: '2027-04-01T04:00:00Z',
};
const SIZE = 45;
const PAGE = 20;
const WICKED = '<img src=x onerror=a()>';
const LONG = ['WWWWWWWWWWWWWWWWWWWWWWWW', 'Maximiliane Oberhofer-Ga', WICKED];

const standing = (index) => ({
  rank: index === 2 ? 2 : index + 1,
  player: { id: randomUUID(), name: LONG[index] ?? `Spatz ${1000 + index}` },
  rating: 1700 - index * 17,
  matches: 1234 - index * 20,
  tier: TIERS[Math.floor(index / 5)],
});

const change = (index) => ({
  match_id: randomUUID(),
  at: new Date(Date.UTC(2027, 1, 28 - index)).toISOString(),
  before: 1243 - index,
  after: 1256 - index * 2,
  reason: `2nd of 4, against 1310, 1255, 1190 (without 1 who left): expected 1.9 wins, got 2, ${index < 13 ? '+' : ''}${13 - index}`,
});

function slice(items, url) {
  const start = Number(new URL(url).searchParams.get('cursor') ?? 0);
  const end = start + PAGE;
  return [items.slice(start, end), end < items.length ? String(end) : null];
}

/** The second page fails once; the paths that do so are noted in `failing`. */
export async function standInLadder(page, failing) {
  const standings = Array.from({ length: SIZE }, (_, index) => standing(index));
  const changes = Array.from({ length: 25 }, (_, index) => change(index));
  const answer = (glob, json) => page.route(glob, (route) => route.fulfill({ json: json(route) }));
  let failed = false;
  await answer('**/v1/ladders', () => ({ ladders: [LADDER] }));
  await answer('**/v1/ladders/*/among?*', () => ({ standings: [standings[30]] }));
  await answer('**/v1/players/*/ratings', () => ({
    ratings: [
      {
        ladder_id: LADDER.id,
        rating: 1256,
        matches: 25,
        peak: 1290,
        provisional: false,
        tier: { name: 'unter', next: 1265, progress: 86 },
        history: [],
      },
    ],
  }));
  await answer(`**/v1/players/*/ratings/${LADDER.id}*`, (route) => {
    const [history, next] = slice(changes, route.request().url());
    return { history, next };
  });
  await page.route('**/v1/ladders/*/standings*', (route) => {
    const [found, next] = slice(standings, route.request().url());
    if (found[0] === standings[PAGE] && !failed) {
      failed = true;
      return route.fulfill({ status: 500, json: {} });
    }
    return route.fulfill({ json: { standings: found, next } });
  });
  failing.push('/standings');
  return {
    size: SIZE,
    pageSize: PAGE,
    wickedName: WICKED,
    idAt: (index) => standings[index].player.id,
  };
}
