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

/** "4 cards", "1 card"; "3 matches" where the noun's plural is given. */
export const count = (number, noun, plural = `${noun}s`) =>
  `${number} ${number === 1 ? noun : plural}`;

/** "8 s", "3 min": nobody needs it more exactly. */
export const spanInWords = (seconds) =>
  seconds < 90 ? `${Math.ceil(seconds)} s` : `${Math.round(seconds / 60)} min`;

export const signed = (number) => (number > 0 ? `+${number}` : number < 0 ? `−${-number}` : '0');

/** "bells are trump" */
export const trumpInWords = (suit) => `${suit} are trump`;

const SUIT_LETTERS = Object.fromEntries(
  Object.entries(SUIT_NAMES).map(([letter, name]) => [name, letter]),
);

/** The letter in card names of a suit that the server names. */
export const suitLetter = (suit) => SUIT_LETTERS[suit];

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

/** A match length option in words. */
export function lengthInWords(length) {
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
