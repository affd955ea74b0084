// Who plays what, in a line for the head of the table.

import { contract, multiplier } from './contracts.js';
import { says, seatName, trumpInWords } from './words.js';

/** What must be reached, unless the contract's name says it. */
function goal({ contract: id, goal: kind, target }, game) {
  if (kind === 'no_trick') return 'must take no trick';
  if (kind === 'every_trick') return 'needs every trick';
  const { level } = contract(id, game);
  return level === String(target) ? null : `needs ${target}`;
}

function trump({ trump: suit, declaration }) {
  if (suit) return trumpInWords(suit);
  return declaration.goal === 'no_trick' ? 'no trump, tens low' : null;
}

function doubling(view) {
  const { doubled_by: doubledBy, redoubled } = view.deal;
  if (doubledBy === null) return null;
  const counts = `counts ×${multiplier(view)}`;
  return redoubled ? `redoubled, ${counts}` : `doubled by ${seatName(view, doubledBy)}, ${counts}`;
}

/** Null until somebody plays. */
export function declarationLine(view) {
  const { deal, rules } = view;
  if (!deal?.declaration) return deal?.trump ? `Bidding · ${trumpInWords(deal.trump)}` : null;
  const { declarer, contract: id } = deal.declaration;
  const plays = `${says(view, declarer, 'play')} ${contract(id, rules.ruleset).name}`;
  return [plays, trump(deal), goal(deal.declaration, rules.ruleset), doubling(view)]
    .filter(Boolean)
    .join(' · ');
}
