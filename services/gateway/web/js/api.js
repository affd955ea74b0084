// The calls of the REST API that the page uses. A token is added and renewed when it ran out, and
// a request that met a passing failure is sent again: every call here is safe to repeat (reads,
// commands with an id, creations with an idempotency key).

import { exchange, json } from './http.js';
import { uuid } from './ids.js';
import { pause } from './pause.js';
import { accessToken, renew } from './session.js';

const RETRY_MS = [300, 800, 2000, 4000, 8000];
/** An answer that takes longer is not worth waiting for. */
const ANSWER_MS = 10_000;

/** Sends with the session's token; used by the calls below and, without retries, by stream.js. */
export async function authorized(method, path, options = {}) {
  const token = await accessToken();
  try {
    return await exchange(method, path, { ...options, token });
  } catch (problem) {
    if (problem.status !== 401) throw problem;
    await renew(token);
    return exchange(method, path, { ...options, token: await accessToken() });
  }
}

/** Null when a repetition became pointless: what was asked for has happened, or cannot any more. */
async function call(method, path, options, mayRepeat = () => true) {
  for (let attempt = 0; ; attempt += 1) {
    try {
      const signal = AbortSignal.timeout(ANSWER_MS);
      return await json(await authorized(method, path, { ...options, signal }));
    } catch (problem) {
      if (!problem.passing || attempt === RETRY_MS.length) throw problem;
      await pause(problem.retryAfterSeconds ? problem.retryAfterSeconds * 1000 : RETRY_MS[attempt]);
      if (!mayRepeat()) return null;
    }
  }
}

const create = (path, body) => call('POST', path, { body, headers: { 'Idempotency-Key': uuid() } });

export const getMe = () => call('GET', '/v1/me');
export const renameMe = (name) => call('PATCH', '/v1/me', { body: { name } });
export const getRulesets = async () => (await call('GET', '/v1/rulesets')).rulesets;
export const getQueues = async () => (await call('GET', '/v1/queues')).queues;

/** `party`: {size} opens one, {code} joins one; left out, the player queues alone. */
export const createTicket = (queueId, party) =>
  create('/v1/tickets', { queue_id: queueId, ...(party ? { party } : {}) });
export const getTicket = (id) => call('GET', `/v1/tickets/${id}`);
export const cancelTicket = (id) => call('DELETE', `/v1/tickets/${id}`);

export const createTable = (settings) => create('/v1/tables', settings);
export const joinTable = (code) => call('POST', '/v1/tables/join', { body: { invite_code: code } });

/** The table as this player may see it, or null when it is still at `version`. */
export const getTable = (id, version) =>
  call(
    'GET',
    `/v1/tables/${id}`,
    version === undefined ? {} : { headers: { 'If-None-Match': `"${version}"` } },
  );

/** One command: thanks to its id a repetition cannot act twice. */
export function act(tableId, action, { commandId = uuid(), mayRepeat } = {}) {
  const body = { command_id: commandId, action };
  return call('POST', `/v1/tables/${tableId}/actions`, { body }, mayRepeat);
}

/** The latest matches of a player that are in the archive. */
export const getMatches = async (playerId) =>
  (await call('GET', `/v1/players/${playerId}/matches`)).matches;
export const getReplay = (matchId) => call('GET', `/v1/matches/${matchId}/replay`);
/** Why a match was made. For its players only. */
export const getPairing = (matchId) => call('GET', `/v1/matches/${matchId}/pairing`);

export const getPlayer = (id) => call('GET', `/v1/players/${encodeURIComponent(id)}`);
export const getRatings = async (playerId) =>
  (await call('GET', `/v1/players/${encodeURIComponent(playerId)}/ratings`)).ratings;

const paged = (path, cursor) =>
  call('GET', cursor ? `${path}?${new URLSearchParams({ cursor })}` : path);

/** A page: {history, next}. */
export const getRatingHistory = (playerId, ladder, cursor) =>
  paged(`/v1/players/${playerId}/ratings/${ladder}`, cursor);

export const getLadders = async () => (await call('GET', '/v1/ladders')).ladders;
/** A page: {standings, next}. */
export const getStandings = (ladder, cursor) => paged(`/v1/ladders/${ladder}/standings`, cursor);
export const getAround = async (ladder, playerId) =>
  (await call('GET', `/v1/ladders/${ladder}/around/${playerId}`)).standings;
/** A player's rank; null when the ladder does not list the player. */
export async function getRank(ladder, playerId) {
  const { standings } = await call('GET', `/v1/ladders/${ladder}/among?players=${playerId}`);
  return standings[0]?.rank ?? null;
}

export const getBlocks = async () => (await call('GET', '/v1/me/blocks')).blocks;
export const blockPlayer = (id) => call('PUT', `/v1/me/blocks/${id}`);
export const unblockPlayer = (id) => call('DELETE', `/v1/me/blocks/${id}`);
