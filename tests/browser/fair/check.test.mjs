// What the page says about a match: honest replays pass, and every single lie is found.

import assert from 'node:assert/strict';
import test from 'node:test';
import { checkReplay } from '../../../services/gateway/web/js/fair/check.js';
import { sha256 } from '../../../services/gateway/web/js/fair/sha256.js';
import { dealOut, deck, firstDealer } from '../../../services/gateway/web/js/fair/shuffle.js';
import { fromHex, toHex } from '../../../services/gateway/web/js/ids.js';

const SEAT = 1;
const SEED = '5a'.repeat(32);
const NONCES = ['', '0123456789abcdef0123456789abcdef', null];

/** Of three: the first deal was thrown in, so the same dealer dealt again. */
const BRIXENTAL = { game: 'brixental', nonces: NONCES };
/** Of four: after a thrown-in deal somebody was declarer, who then dealt. */
const DOBBM = { game: 'dobbm', nonces: [...NONCES, 'ab'] };

/** An honest match of three deals, the first of which did not count. */
function honest({ game, nonces: texts } = BRIXENTAL) {
  const seed = fromHex(SEED);
  const nonces = texts.map((nonce) => fromHex(nonce ?? ''));
  const players = nonces.length;
  const first = firstDealer(seed, nonces);
  const declarer = (first + 3) % players;
  const dealers = [first, first, game === 'dobbm' ? declarer : (first + 1) % players];
  const deals = dealers.map((dealer, index) => ({
    number: index + 1,
    dealer,
    ...dealOut(deck(seed, nonces, index + 1), dealer, players, game),
    score: { counted: index > 0, declarer: index > 0 ? { seat: declarer } : null },
  }));
  const ours = deals.map(({ number, hands }) => [number, [...hands[SEAT]].sort()]);
  const seed_hash = toHex(sha256(seed));
  return {
    replay: {
      match: { rules: { ruleset: game } },
      server_seed: SEED,
      seed_hash,
      nonces: [...texts],
      deals,
    },
    noted: {
      seed_hash,
      nonce: NONCES[SEAT],
      accepted: true,
      hands: Object.fromEntries(ours),
    },
  };
}

/** The verdict on an honest match after `change`. */
function verdict(change = () => {}, kind = BRIXENTAL) {
  const match = honest(kind);
  change(match);
  return checkReplay(match.noted, match.replay, SEAT);
}

const LIES = {
  'another seed': ({ replay }) => (replay.server_seed = '5b'.repeat(32)),
  'a hash that changed': ({ noted }) => (noted.seed_hash = '00'.repeat(32)),
  'a nonce that is not ours': ({ noted }) => (noted.nonce = 'ff'),
  'another first dealer': ({ replay }) => replay.deals.forEach((deal) => (deal.dealer += 1)),
  'another dealer later': ({ replay }) => (replay.deals[2].dealer = replay.deals[0].dealer),
  'a swapped card': ({ replay }) => {
    const [mine, theirs] = replay.deals[1].hands;
    [mine[0], theirs[0]] = [theirs[0], mine[0]];
  },
  'a card of the talon': ({ replay }) => (replay.deals[2].talon[0] = 'H6'),
  'a deal left out': ({ replay }) => replay.deals.splice(1, 1),
  'a shuffle of another deal': ({ replay }) => (replay.deals[1].shuffle = 3),
  'a shuffle that was not used': ({ replay }) => (replay.deals[1].shuffle = 1_000_002),
  'the last deal left out': ({ replay }) => replay.deals.pop(),
  'a hand that was not what we held': ({ noted }) => (noted.hands[2] = noted.hands[3]),
};

test('an honest match is verified', () => assert.equal(verdict(), 'verified'));

test('a deal that was dealt again after a loss has a shuffle of its own', () => {
  const again = ({ replay, noted }) => {
    const deal = replay.deals[2];
    const nonces = NONCES.map((nonce) => fromHex(nonce ?? ''));
    const pack = deck(fromHex(SEED), nonces, 1_000_003);
    Object.assign(deal, dealOut(pack, deal.dealer, 3, 'brixental'), { shuffle: 1_000_003 });
    noted.hands[3] = deal.hands[SEAT];
  };
  assert.equal(verdict(again), 'verified');
});

test('Dobbm deals in its own way, and the declarer deals next', () => {
  assert.equal(verdict(undefined, DOBBM), 'verified');
  const asBrixental = ({ replay }) => (replay.match.rules.ruleset = 'brixental');
  assert.equal(verdict(asBrixental, DOBBM), 'broken');
});

for (const [lie, tell] of Object.entries(LIES))
  test(`${lie}: broken`, () => assert.equal(verdict(tell), 'broken'));

test('without notes of our own there is no proof', () => {
  assert.equal(
    verdict((match) => (match.noted = {})),
    'unknown',
  );
  assert.equal(
    verdict(({ noted }) => (noted.accepted = false)),
    'unknown',
  );
});

test('without notes of our own a lie is found nevertheless', () => {
  const change = (match) => {
    match.noted = {};
    match.replay.deals[0].talon.pop();
  };
  assert.equal(verdict(change), 'broken');
});
