// What every match did to a rating, and why, newest first.

import { getRatingHistory } from '../api.js';
import { button, h } from '../dom.js';
import { pagedList } from '../paging.js';
import { amount } from '../score.js';
import { day } from './ladders.js';
import { openPairing } from './pairing.js';

/** Only those who played a match may know why it was made: so the button is theirs. */
function row(change, own) {
  const why = () => openPairing(change.match_id);
  return h(
    'li',
    { 'data-testid': 'rating-change' },
    h(
      'div',
      { class: 'change-head' },
      amount('b', change.after - change.before),
      h('span', {}, `${change.before} → ${change.after}`),
      h('time', { class: 'note', datetime: change.at }, day(change.at)),
    ),
    h('p', { class: 'reason' }, change.reason),
    own && button('text-link', 'why-paired', why, 'Why were we matched?'),
  );
}

const page = async (player, ladder, cursor) => {
  const { history, next } = await getRatingHistory(player, ladder, cursor);
  return { items: history, next };
};

export const loadHistory = (player, ladder) => page(player, ladder);

export function drawHistory(first, player, ladder, own) {
  if (!first.items.length) return h('p', { class: 'note' }, 'No rated match yet.');
  return pagedList(first, {
    load: (cursor) => page(player, ladder, cursor),
    row: (change) => row(change, own),
    list: h('ol', { class: 'changes', 'data-testid': 'changes' }),
  });
}
