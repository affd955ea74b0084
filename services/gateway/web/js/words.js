// The game's vocabulary in plain English, with the German term once where a player meets it
// first.

export const SUIT_NAMES = { E: 'acorns', G: 'leaves', H: 'hearts', S: 'bells' };
const RANK_NAMES = {
  A: 'ace',
  X: 'ten',
  K: 'king',
  O: 'Ober',
  U: 'Unter',
  9: 'nine',
  8: 'eight',
  7: 'seven',
  6: 'six',
};

export const cardName = (card) => `${RANK_NAMES[card[1]]} of ${SUIT_NAMES[card[0]]}`;

/** "4 cards", "1 card" */
export const count = (number, noun) => `${number} ${noun}${number === 1 ? '' : 's'}`;

export const signed = (number) => (number > 0 ? `+${number}` : number < 0 ? `−${-number}` : '0');

const CONTRACTS = {
  look_in: {
    name: 'Look in',
    german: 'Hineinschauen',
    text: 'Take the talon, lay off as many. Needs 61.',
  },
  sumpern: { name: 'Sumpern', text: 'No exchange. Needs 61, double score.' },
  all_tricks: { name: 'All tricks', text: 'No exchange. Take every trick, double score.' },
};

/** Name and explanation of a bid; a number promises that many points. */
export const contract = (id) =>
  CONTRACTS[id] ?? { name: id, text: `No exchange. Needs ${id}, double score.` };

const BOTS = ['Vroni', 'Sepp', 'Burgl', 'Lois'];

/** Bots have names too: one per seat, so that a table is easy to talk about. */
export function occupantName({ occupant, seat }) {
  if (!occupant) return 'Free';
  return occupant.type === 'bot' ? BOTS[seat % BOTS.length] : occupant.name;
}

export const seatName = (view, seat) =>
  seat === view.my_seat ? 'You' : occupantName(view.seats[seat]);

/** "You take" but "Vroni takes". */
export const says = (view, seat, verb) =>
  `${seatName(view, seat)} ${verb}${seat === view.my_seat ? '' : 's'}`;

const LENGTHS = [
  [/^points\((\d+)\)$/, (n) => `to ${n} points`],
  [/^rounds\((\d+)\)$/, (n) => (n === '1' ? 'one round' : `${n} rounds`)],
];

/** A match length option in words; without the option the rules' own length applies. */
export function lengthInWords(length = 'points(100)') {
  for (const [pattern, words] of LENGTHS) {
    const match = pattern.exec(length);
    if (match) return words(match[1]);
  }
  return length;
}

export const queueKind = ({ kind }) => (kind === 'ranked' ? 'Ranked' : 'Casual');

/** "4 players, 2 rounds" */
export const queueSize = ({ players, options }) =>
  `${count(players, 'player')}, ${lengthInWords(options.length)}`;
