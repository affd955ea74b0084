// How a player stands on a ladder: tier, rating, how far it is to the next tier.

import { h } from '../dom.js';
import { count } from '../words.js';
import { tierCard, tierName, tierProgress } from './tiers.js';

const numbers = ({ rating, matches, peak }, rank) =>
  [
    rank && `rank ${rank}`,
    `rating ${rating}`,
    `highest ${peak}`,
    count(matches, 'match', 'matches'),
  ]
    .filter(Boolean)
    .join(' · ');

/** `rank` is null for who is not listed; a season that is `over` has no way up any more. */
export function ownStanding(rating, { rank = null, over = false } = {}) {
  const { tier, provisional } = rating;
  return h(
    'div',
    { class: 'own-standing', 'data-testid': 'own-standing' },
    tier && tierCard(tier.name),
    h(
      'div',
      {},
      h(
        'b',
        { class: 'tier-name', lang: tier && 'de' },
        tier ? tierName(tier.name) : 'No tier yet',
      ),
      h('p', {}, numbers(rating, rank)),
      tier && !over && tierProgress(tier),
      provisional &&
        h(
          'p',
          { class: 'note' },
          over
            ? 'Too few matches to be listed.'
            : 'Provisional: the ladder lists a player after some more matches.',
        ),
    ),
  );
}
