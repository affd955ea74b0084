// The contracts of all games in words: their names, what they ask for, what they count. A contract
// with levels belongs to a ladder: one name, many promises.

const LADDERS = {
  pickup: {
    name: 'Pick-up',
    german: 'Aufnahme',
    text: 'Take the talon, lay off as many, name the trump. Paid by the pot.',
    pays: (value) => `Counts ${value}, by the pot.`,
  },
  hand: {
    name: 'Hand',
    text: 'Leave the talon and name the trump. Paid by each to each.',
    pays: (value) => `Counts ${2 * value} from each.`,
  },
  promise: {
    name: 'Promise points',
    text: 'So many of the 120 points, without the talon. Double score.',
    pays: () => 'No exchange, double score.',
  },
};

/** By id; where games differ, by game and id. `factor` multiplies what a deal counts. */
const NAMED = {
  look_in: {
    name: 'Look in',
    german: 'Hineinschauen',
    text: 'Take the talon, lay off as many. Needs 61.',
  },
  sumpern: { name: 'Sumpern', text: 'No exchange. Needs 61, double score.', factor: 2 },
  dobbm: { name: 'Dobbm', text: 'Take the talon, lay off as many. Needs 61.' },
  'dobbm/solo': {
    name: 'Solo',
    german: 'Alleinspiel',
    text: 'No exchange. Needs 61, counts double.',
    factor: 2,
  },
  herz_neischaugn: {
    name: 'Herz neischaugn',
    text: 'Take the talon. Hearts are trump. Price 1.',
  },
  'haferltarock/solo': {
    name: 'Solo',
    text: 'No exchange. You name acorns, leaves or bells. Price 2.',
  },
  herzsolo: { name: 'Herzsolo', text: 'No exchange. Hearts are trump. Price 3.' },
  'bavarian/bettel': { name: 'Bettel', text: 'Take no trick. No trump, tens low. 4 from each.' },
  'haferltarock/bettel': { name: 'Bettel', text: 'Take no trick. No trump, tens low. Price 4.' },
  bettel: { name: 'Bettel', text: 'Take no trick. No trump, tens low.' },
};

const LEVELS = { due: 'due', all_tricks: 'all' };
const NAMES = { all_tricks: 'All tricks' };
const LEVELLED = /^(?:(pickup|hand):)?(\d+|due|all_tricks)$/;
const LOWEST = 61;
const STEP = 5;
const VALUE_OF_ALL = 13;

function levelled([, prefix, level]) {
  const ladder = prefix ?? 'promise';
  const words = LADDERS[ladder];
  const label = LEVELS[level] ?? level;
  const goal = level in LEVELS ? 'Needs every trick.' : `Needs ${level} points.`;
  const value = level in LEVELS ? VALUE_OF_ALL : 1 + (level - LOWEST) / STEP;
  return {
    name: prefix ? `${words.name} ${label}` : (NAMES[level] ?? label),
    text: `${goal} ${words.pays(value)}`,
    ladder,
    level,
    label,
    factor: prefix ? 1 : 2,
  };
}

/** {name, german, text, factor, and of a ladder: ladder, level, label} */
export function contract(id, game) {
  const named = NAMED[`${game}/${id}`] ?? NAMED[id];
  if (named) return { factor: 1, ...named };
  const match = LEVELLED.exec(id);
  return match ? levelled(match) : { name: id, text: '', factor: 1 };
}

export const ladderWords = (ladder) => LADDERS[ladder];

/** How many times the simple score the deal counts, doubling included. */
export function multiplier(view, { doubled = 0 } = {}) {
  const { declaration, doubled_by: doubledBy, redoubled } = view.deal;
  const times = (doubledBy === null ? 0 : 1) + (redoubled ? 1 : 0) + doubled;
  return contract(declaration.contract, view.rules.ruleset).factor * 2 ** times;
}
