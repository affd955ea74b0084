// Who is playing: a guest account bound to this device, and its tokens. Refresh tokens rotate, so
// at most one renewal may run: one promise per tab, one lock across tabs.

import { exchange, json } from './http.js';
import { uuid } from './ids.js';
import { read, write } from './store.js';

const EARLY_MS = 30_000;

function keep(answer) {
  write('session', {
    access_token: answer.access_token,
    refresh_token: answer.refresh_token,
    expires_at: Date.now() + answer.expires_in * 1000,
    player_id: answer.player.id,
  });
  return answer.player;
}

const post = async (path, body) => json(await exchange('POST', path, { body }));

export const signedIn = () => read('session') !== null;

export async function signIn(name) {
  const deviceId = read('device') ?? uuid();
  write('device', deviceId);
  return keep(
    await post('/v1/auth/guest', { device_id: deviceId, ...(name ? { display_name: name } : {}) }),
  );
}

/** A token that is valid now, renewed shortly before it expires. */
export async function accessToken() {
  const session = read('session');
  if (session.expires_at - EARLY_MS < Date.now()) await renew(session.access_token);
  return read('session').access_token;
}

let renewing = null;

/** Replaces the token `stale`; does nothing when somebody else already did. */
export function renew(stale) {
  const locked = navigator.locks
    ? (work) => navigator.locks.request('spatz.session', work)
    : (work) => work();
  renewing ??= locked(() => rotate(stale)).finally(() => {
    renewing = null;
  });
  return renewing;
}

async function rotate(stale) {
  const session = read('session');
  if (session.access_token !== stale) return;
  try {
    keep(await post('/v1/auth/refresh', { refresh_token: session.refresh_token }));
  } catch (problem) {
    if (problem.status !== 401) throw problem;
    await signIn();
  }
}
