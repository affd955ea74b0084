// The pot (Haferl) on the table: what is in it, and what filling it costs everyone.

import { pipArt } from './cards/faces.js';
import { h } from './dom.js';

/** Null in a game without a pot, and before and after the match. */
export function potPlate({ pot, rules, seats }) {
  if (pot === null) return null;
  const place = seats.length < 4 ? 'at-top' : '';
  return h(
    'div',
    { class: `pot ${place}`.trim(), 'data-testid': 'pot' },
    pipArt('pot'),
    h(
      'span',
      {},
      h('b', {}, `Pot ${pot}`),
      h('small', {}, `stake ${rules.options.stake}`),
    ),
  );
}

/** Whether the match is played with a pot, also before and after it. */
export const hasPot = ({ pot, result, score_sheet: sheet }) =>
  pot !== null || Boolean(result?.pot_shares.length) || sheet.some(({ stake }) => stake > 0);
