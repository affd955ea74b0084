// Was the shuffle honest? Compares the replay of a match with what this player noted meanwhile and
// with the cards that follow from the revealed seed.

import { fromHex, toHex } from '../ids.js';
import { sha256 } from './sha256.js';
import { dealOut, deck, firstDealer } from './shuffle.js';

const sameCards = (some, others) => [...some].sort().join() === [...others].sort().join();

/** Who deals next. A deal that does not count is dealt again by the same dealer. */
function nextDealer(dealer, players, score, game) {
  if (!score?.counted) return dealer;
  return game === 'dobbm' && score.declarer ? score.declarer.seat : (dealer + 1) % players;
}

/** What went into the shuffle: more than the number where the server lost the deal before it. */
function shuffleNumber({ number, shuffle = number }) {
  return shuffle % 1_000_000 === number ? shuffle : NaN;
}

/** Every deal: its number, who dealt, every hand and the talon; our own hands as we saw them. */
function dealsFollow(seed, nonces, replay, seat, seen) {
  const { deals } = replay;
  const game = replay.match.rules.ruleset;
  const players = nonces.length;
  let dealer = firstDealer(seed, nonces);
  const noneMissing = Object.keys(seen).every((number) => number <= deals.length);
  return noneMissing && deals.every((deal, index) => {
    const { hands, talon } = dealOut(deck(seed, nonces, shuffleNumber(deal)), dealer, players, game);
    const follows =
      deal.number === index + 1 &&
      deal.dealer === dealer &&
      deal.hands.length === players &&
      hands.every((hand, owner) => sameCards(hand, deal.hands[owner])) &&
      sameCards(talon, deal.talon) &&
      (!seen[deal.number] || sameCards(hands[seat], seen[deal.number]));
    dealer = nextDealer(dealer, players, deal.score, game);
    return follows;
  });
}

/**
 * `noted`: {seed_hash, nonce, accepted, hands} as noted before and during the match (or less).
 * Answers 'verified', 'broken', or 'unknown' where too little was noted to prove anything.
 */
export function checkReplay(noted, replay, seat) {
  const seed = fromHex(replay.server_seed);
  const nonces = replay.nonces.map((nonce) => fromHex(nonce ?? ''));
  const hash = toHex(sha256(seed));
  const holds =
    hash === (noted.seed_hash ?? replay.seed_hash) &&
    (!noted.accepted || noted.nonce === replay.nonces[seat]) &&
    dealsFollow(seed, nonces, replay, seat, noted.hands ?? {});
  if (!holds) return 'broken';
  return noted.seed_hash && noted.accepted ? 'verified' : 'unknown';
}
