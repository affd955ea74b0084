// Was the shuffle fixed beforehand? The server publishes SHA-256(server seed) before it knows our
// nonce and reveals the seed when the match is over. This module checks that commitment, not the
// deal itself.

import { fromHex, randomHex, toHex } from './ids.js';

/** Our part of the shuffle: 16 random bytes. */
export const makeNonce = () => randomHex(16);

async function sha256(hex) {
  return toHex(new Uint8Array(await crypto.subtle.digest('SHA-256', fromHex(hex))));
}

/**
 * Compares what was noted at the start ({seed_hash, nonce}) with the view after the end.
 * Answers 'verified', 'broken', or 'unknown' where the browser or the notes do not allow a check.
 */
export async function checkCommitment(noted, view) {
  if (!crypto.subtle || !noted?.seed_hash || !view.server_seed) return 'unknown';
  const nonceKept = !noted.nonce || view.nonces[view.my_seat] === noted.nonce;
  return nonceKept && (await sha256(view.server_seed)) === noted.seed_hash ? 'verified' : 'broken';
}
