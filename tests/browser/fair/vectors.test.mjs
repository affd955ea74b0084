// The page's check of the shuffle against the standards' own vectors and those of
// docs/fair-cards.md.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { chacha20Block } from '../../../services/gateway/web/js/fair/chacha20.js';
import { sha256 } from '../../../services/gateway/web/js/fair/sha256.js';
import {
  dealKey,
  dealOut,
  deck,
  firstDealer,
} from '../../../services/gateway/web/js/fair/shuffle.js';
import { fromHex, toHex } from '../../../services/gateway/web/js/ids.js';

const hashOf = (text) => toHex(sha256(new TextEncoder().encode(text)));

/** The key stream's bytes of a block. */
function blockBytes(key, counter, nonce) {
  const bytes = new DataView(new ArrayBuffer(64));
  chacha20Block(key, counter, nonce).forEach((word, i) => bytes.setUint32(4 * i, word, true));
  return toHex(new Uint8Array(bytes.buffer));
}

/** The examples that NIST publishes for FIPS 180. */
const HASHES = [
  ['', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
  ['abc', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
  [
    'abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq',
    '248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1',
  ],
  ['a'.repeat(1_000_000), 'cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0'],
];

test('SHA-256 gives the digests of FIPS 180', () => {
  for (const [message, digest] of HASHES) assert.equal(hashOf(message), digest);
});

test('SHA-256 pads every length around the end of a block as the platform does', async () => {
  for (let length = 50; length <= 130; length += 1) {
    const message = Uint8Array.from({ length }, (_, index) => index);
    const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', message));
    assert.equal(toHex(sha256(message)), toHex(digest), `${length} bytes`);
  }
});

test('ChaCha20 gives the block of RFC 8439, 2.3.2', () => {
  const key = Uint8Array.from({ length: 32 }, (_, index) => index);
  assert.equal(
    blockBytes(key, 1, fromHex('000000090000004a00000000')),
    '10f1e7e4d13b5915500fdd1fa32071c4c7d1f4c733c068030422aa9ac3d46c4e' +
      'd2826446079faa0914c2d705d98b02a2b5129cd1de164eb9cbd083e8a2503c4e',
  );
});

test('ChaCha20 gives the first blocks of RFC 8439, A.1', () => {
  const zeros = [new Uint8Array(32), new Uint8Array(12)];
  assert.equal(
    blockBytes(zeros[0], 0, zeros[1]),
    '76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7' +
      'da41597c5157488d7724e03fb8d84a376a43b8f41518a11cc387b669b2ee6586',
  );
  assert.equal(
    blockBytes(zeros[0], 1, zeros[1]),
    '9f07e7be5551387a98ba977c732d080dcb0f29a048e3656912c6533e32ee7aed' +
      '29b721769ce64e43d57133b074d839d531ed1f28510afb45ace10a1f4b794d6f',
  );
});

const spec = readFileSync(new URL('../../../docs/fair-cards.md', import.meta.url), 'utf8');
const vectors = JSON.parse(/```json\n(.*?)\n```/s.exec(spec)[1]);
assert.ok(vectors.length > 0, 'the document has vectors');

for (const { what, server_seed: hex, seed_hash: hash, first_dealer, nonces, deals } of vectors) {
  test(`docs/fair-cards.md: ${what}`, () => {
    const seed = fromHex(hex);
    const shares = nonces.map(fromHex);
    assert.equal(toHex(sha256(seed)), hash);
    assert.equal(firstDealer(seed, shares), first_dealer);
    for (const { number, key, keystream, deck: pack, dealer, hands, talon } of deals) {
      const ownKey = dealKey(seed, shares, number);
      assert.equal(toHex(ownKey), key);
      assert.ok(blockBytes(ownKey, 0, new Uint8Array(12)).startsWith(keystream));
      const cards = deck(seed, shares, number);
      assert.equal(cards.join(' '), pack);
      const dealt = dealOut(cards, dealer, nonces.length);
      assert.deepEqual(
        dealt.hands.map((hand) => hand.join(' ')),
        hands,
      );
      assert.equal(dealt.talon.join(' '), talon);
    }
  });
}
