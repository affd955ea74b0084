// The seal of a match: what this player notes of the shuffle before and during it, and the check
// when it is over.

import { getMatches, getReplay } from '../api.js';
import { randomHex } from '../ids.js';
import { pause } from '../pause.js';
import { read, write } from '../store.js';
import { checkReplay } from './check.js';

const NONCE_BYTES = 16;
/** The archive has a match soon after its end. */
const ASK_AFTER_MS = [300, 1000, 2000, 4000, 8000, 16_000];

const notesOf = (tableId) => {
  const notes = read('table');
  return notes?.id === tableId ? notes : { id: tableId };
};

const note = (tableId, more) => write('table', { ...notesOf(tableId), ...more });

/**
 * Notes the commitment and our part of the shuffle, before that part is sent. A second tab or a
 * reload sends the same nonce again, for the server keeps the first one.
 */
export function prepareNonce(view) {
  const notes = notesOf(view.id);
  const nonce = notes.nonce ?? randomHex(NONCE_BYTES);
  note(view.id, { nonce, seed_hash: notes.seed_hash ?? view.seed_hash });
  return nonce;
}

export const noteAccepted = (tableId) => note(tableId, { accepted: true });

/** Notes the hand as it was dealt; later it changes. */
export function noteHand({ id, phase, deal }) {
  const { hands = {} } = notesOf(id);
  if (phase === 'auction' && !hands[deal.number])
    note(id, { hands: { ...hands, [deal.number]: deal.hand } });
}

/** The server lost the deal that we noted last: it is dealt again with other cards. */
export function forgetLastHand(id) {
  const { hands = {} } = notesOf(id);
  const last = Math.max(...Object.keys(hands));
  note(id, { hands: Object.fromEntries(Object.entries(hands).filter(([deal]) => deal < last)) });
}

/** The replay, or null if it does not come. The list says when it is there: no vain request. */
async function replayOf(matchId, playerId) {
  for (const delay of ASK_AFTER_MS) {
    await pause(delay);
    const matches = await getMatches(playerId);
    if (matches.some(({ id }) => id === matchId)) return getReplay(matchId);
  }
  return null;
}

/** Checks a match that is over: 'verified', 'broken' or 'unknown'. */
export async function checkSeal(view) {
  const notes = notesOf(view.id);
  try {
    const replay = await replayOf(view.id, view.seats[view.my_seat].occupant.id);
    return replay ? checkReplay(notes, replay, view.my_seat) : 'unknown';
  } catch {
    return 'unknown';
  }
}
