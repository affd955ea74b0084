// The cards of a match, worked out from the server's seed, the seats' nonces and the number of a
// deal as docs/fair-cards.md specifies.

import { chacha20Block } from './chacha20.js';
import { sha256 } from './sha256.js';

const DOMAIN = new TextEncoder().encode('spatz/fair-cards/1');
const PACK = [...'EGHS'].flatMap((suit) => [...'6789UOKXA'].map((rank) => suit + rank));
const NO_NONCE = new Uint8Array(12);

/** By number of players: how many cards to each seat, and when how many to the talon. */
const PACKETS = {
  3: [{ each: 4 }, { each: 3 }, { talon: 3 }, { each: 4 }],
  4: [{ each: 4 }, { talon: 4 }, { each: 4 }],
};
/** Games that deal in a way of their own. */
const PACKETS_OF = { dobbm: { 4: [{ each: 4 }, { each: 4 }, { talon: 4 }] } };

/** The key of a deal. `seed` and `nonces` are bytes. */
export function dealKey(seed, nonces, deal) {
  const number = new Uint8Array(4);
  new DataView(number.buffer).setUint32(0, deal);
  const withLengths = nonces.flatMap((nonce) => [nonce.length, ...nonce]);
  return sha256(Uint8Array.of(...DOMAIN, ...seed, nonces.length, ...withLengths, ...number));
}

/** The key stream as numbers below 2^32, without end. */
function* randomWords(key) {
  for (let counter = 0; ; counter += 1) yield* chacha20Block(key, counter, NO_NONCE);
}

/** A number from 0 to before `bound`; words that would make some numbers likelier are skipped. */
function below(bound, words) {
  const fair = 2 ** 32 - (2 ** 32 % bound);
  let word;
  do word = words.next().value;
  while (word >= fair);
  return word % bound;
}

export const firstDealer = (seed, nonces) =>
  below(nonces.length, randomWords(dealKey(seed, nonces, 0)));

/** The shuffled pack of a deal, counted from 1. */
export function deck(seed, nonces, deal) {
  const words = randomWords(dealKey(seed, nonces, deal));
  const cards = [...PACK];
  for (let last = cards.length - 1; last > 0; last -= 1) {
    const other = below(last + 1, words);
    [cards[last], cards[other]] = [cards[other], cards[last]];
  }
  return cards;
}

/** Deals a pack: {hands by seat, talon}, in the order in which the cards were dealt. */
export function dealOut(cards, dealer, players, game) {
  const hands = Array.from({ length: players }, () => []);
  const talon = [];
  let next = 0;
  const take = (pile, number) => {
    pile.push(...cards.slice(next, next + number));
    next += number;
  };
  for (const packet of (PACKETS_OF[game] ?? PACKETS)[players]) {
    if (packet.talon) take(talon, packet.talon);
    else
      for (let step = 1; step <= players; step += 1)
        take(hands[(dealer + step) % players], packet.each);
  }
  return { hands, talon };
}
