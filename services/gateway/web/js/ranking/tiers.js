// The tiers of a ladder, named after the ranks of the cards from the six up.

import { cardArt } from '../cards/faces.js';
import { h } from '../dom.js';

/** By the server's name: letter of the card, its name, what stands on a badge. */
const TIERS = {
  sechser: ['6', 'Sechser', '6'],
  siebener: ['7', 'Siebener', '7'],
  achter: ['8', 'Achter', '8'],
  neuner: ['9', 'Neuner', '9'],
  unter: ['U', 'Unter', 'U'],
  ober: ['O', 'Ober', 'O'],
  koenig: ['K', 'König', 'K'],
  zehner: ['X', 'Zehner', '10'],
  sau: ['A', 'Sau', 'A'],
};
const ORDER = Object.keys(TIERS);

export const tierName = (tier) => TIERS[tier]?.[1] ?? tier;

const nextTier = (tier) => tierName(ORDER[ORDER.indexOf(tier) + 1]);

export const tierCard = (tier) =>
  h('span', { class: 'tier-card' }, TIERS[tier] && cardArt(`H${TIERS[tier][0]}`));

/** A card's index on a small plate; the name is there for those who cannot see it. */
export const tierBadge = (tier) =>
  h(
    'span',
    { class: `tier tier-${ORDER.indexOf(tier)}`, title: tierName(tier) },
    h('span', { 'aria-hidden': 'true' }, TIERS[tier]?.[2] ?? '?'),
    h('span', { class: 'visually-hidden', lang: 'de' }, tierName(tier)),
  );

/** How far it is to the next tier. */
export function tierProgress({ name, next, progress }) {
  if (next === null) return h('p', { class: 'note' }, 'The highest card there is.');
  const words = `${progress} % of the way to ${nextTier(name)}, which begins at ${next}`;
  return h(
    'label',
    { class: 'tier-progress' },
    h('progress', { max: 100, value: progress, 'data-testid': 'tier-progress' }),
    h('span', { class: 'note' }, words),
  );
}
