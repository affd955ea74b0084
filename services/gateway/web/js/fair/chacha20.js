// The ChaCha20 block function of RFC 8439, section 2.3.

const CONSTANTS = [0x61707865, 0x3320646e, 0x79622d32, 0x6b206574]; // "expand 32-byte k"
const COLUMNS = [[0, 4, 8, 12], [1, 5, 9, 13], [2, 6, 10, 14], [3, 7, 11, 15]];
const DIAGONALS = [[0, 5, 10, 15], [1, 6, 11, 12], [2, 7, 8, 13], [3, 4, 9, 14]];

/** Bytes as 32-bit numbers, least significant byte first. */
function words(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  return Array.from({ length: bytes.length / 4 }, (_, index) => view.getUint32(4 * index, true));
}

const rotl = (word, bits) => (word << bits) | (word >>> (32 - bits));

function quarterRound(s, [a, b, c, d]) {
  s[a] += s[b];
  s[d] = rotl(s[d] ^ s[a], 16);
  s[c] += s[d];
  s[b] = rotl(s[b] ^ s[c], 12);
  s[a] += s[b];
  s[d] = rotl(s[d] ^ s[a], 8);
  s[c] += s[d];
  s[b] = rotl(s[b] ^ s[c], 7);
}

/**
 * A block of the key stream as 16 unsigned 32-bit numbers, least significant byte first. `key` is
 * 32 bytes, `counter` the number of the block, `nonce` 12 bytes.
 */
export function chacha20Block(key, counter, nonce) {
  const start = Uint32Array.of(...CONSTANTS, ...words(key), counter, ...words(nonce));
  const state = start.slice();
  for (let round = 0; round < 20; round += 2)
    for (const places of [...COLUMNS, ...DIAGONALS]) quarterRound(state, places);
  return state.map((word, index) => word + start[index]);
}
