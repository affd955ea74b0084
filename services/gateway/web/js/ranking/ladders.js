// The ladders: every game has one for each of its seasons.

import { gameName } from '../games.js';

const DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium' });

export const day = (instant) => DAY.format(new Date(instant));

/** "Season 2, until 1 Apr 2027", "Season 1, ended 1 Mar 2027" */
export function seasonInWords({ season, closed_at: closed, closes_at: closes }) {
  if (closed) return `Season ${season}, ended ${day(closed)}`;
  return `Season ${season}, ${closes ? `until ${day(closes)}` : 'open'}`;
}

/** "Season 2 · Brixentaler Bauerntarock": the season first, for narrow lists. */
export function ladderInWords(ladders, id) {
  const ladder = ladders.find((each) => each.id === id);
  return ladder ? `Season ${ladder.season} · ${gameName(ladder.ruleset)}` : id;
}

/** The seasons of a game, the latest first. */
export const seasonsOf = (ladders, ruleset) =>
  ladders.filter((ladder) => ladder.ruleset === ruleset).sort((a, b) => b.season - a.season);

/** The games that have a ladder, in the order of `games`. */
export function gamesOf(ladders, games) {
  const order = games.map(({ id }) => id);
  const found = [...new Set(ladders.map(({ ruleset }) => ruleset))];
  return found.sort((a, b) => order.indexOf(a) - order.indexOf(b));
}
