// Waiting for people: follows the ticket until a table is found, says how it stands, and lets the
// player cancel.

import { cancelTicket, createTicket, getQueues, getTicket } from './api.js';
import { announce, button, h, toast } from './dom.js';
import { pipArt } from './cards/faces.js';
import { gameName, loadGames } from './games.js';
import { inviteLink, share } from './invite.js';
import { showInLobby } from './page.js';
import { inWords } from './problems.js';
import { follow } from './stream.js';
import { queueKind, queueSize, spanInWords } from './words.js';

/**
 * Queues up, alone or with a `party` ({size} or {code}). Who waits or sits at a table already is
 * taken there instead.
 */
export async function enterQueue(queueId, party, screens) {
  try {
    screens.waitIn(await createTicket(queueId, party));
  } catch (problem) {
    if (problem.code === 'already_playing') screens.enterTable(problem.body.table_id);
    else if (problem.code === 'ticket_exists') {
      toast(inWords(problem));
      screens.waitIn(await getTicket(problem.body.ticket_id));
    } else throw problem;
  }
}

/** Which queue it is, and what happens when nobody comes. */
async function describe(queueId, host) {
  const [queues] = await Promise.all([getQueues(), loadGames()]);
  const queue = queues.find(({ id }) => id === queueId);
  if (!queue) return;
  const bots = queue.bots_after_seconds;
  host.append(
    h('p', {}, h('b', {}, gameName(queue.ruleset))),
    h('p', {}, `${queueKind(queue)} match, ${queueSize(queue)}`),
    h(
      'p',
      { class: 'note' },
      bots
        ? `Bots take the empty seats after ${spanInWords(bots)}.`
        : 'Only people play in this one.',
    ),
  );
}

/** The code to pass on while the party is not complete. */
function invitation({ queue_id: queue, party }) {
  const { code } = party;
  const pass = () =>
    share(`Play Bauerntarock with me. Code: ${code}`, inviteLink({ party: code, queue }));
  return h(
    'div',
    { class: 'invitation' },
    h('p', {}, 'Tell your friends this code:'),
    h('output', { class: 'code', 'data-testid': 'party-invite' }, code),
    button('primary', 'share', pass, 'Share the link'),
  );
}

/** Why a ticket ended without a table; nothing when the player knows. */
const ENDS = {
  nobody_found: 'Nobody came. Please try again.',
  party_incomplete: 'Your party was not complete in time. Please try again.',
};
const ENDED = ['matched', 'cancelled', 'expired'];

/** "Number 2 in the queue", or that friends are missing. */
function placeInWords({ state, position, party }) {
  if (state === 'proposed') return 'People found, the table is set …';
  if (party && party.joined < party.size)
    return `${party.joined} of ${party.size} of your party are here`;
  return position === null ? '' : `Number ${position} in the queue`;
}

const waitInWords = (seconds) =>
  seconds === null ? '' : `Expected wait: about ${spanInWords(seconds)}`;

/** What stands in the middle of the screen, and how to bring it up to date. */
function waitingPanel(ticket, giveUp) {
  const time = h('b', { class: 'wait-time' }, '0:00');
  const place = h('p', { 'data-testid': 'wait-place' });
  const wait = h('p', { class: 'note', 'data-testid': 'wait-expected' });
  const about = h('div', {});
  const invite = h('div', {});
  const since = Date.parse(ticket.created_at);
  const panel = h(
    'section',
    { class: 'panel waiting', 'data-testid': 'waiting' },
    h('div', { class: 'wait-pip' }, pipArt('sparrow')),
    h('h2', { tabindex: '-1', 'data-page-title': true }, 'Looking for players …'),
    h('p', {}, time, ` · your rating is ${Math.round(ticket.rating)}`),
    place,
    wait,
    about,
    invite,
    button('quiet', 'cancel-ticket', giveUp, 'Cancel'),
  );
  describe(ticket.queue_id, about).catch(() => {});
  if (ticket.party) invite.append(invitation(ticket));

  return {
    panel,
    tick() {
      const seconds = Math.max(0, Math.round((Date.now() - since) / 1000));
      time.textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
    },
    /** Where the ticket stands, as far as the server can tell. */
    tell(state) {
      const words = placeInWords(state);
      if (words && words !== place.textContent) announce(words);
      place.textContent = words;
      wait.textContent = state.state === 'waiting' ? waitInWords(state.expected_wait_seconds) : '';
      invite.hidden = !state.party || state.party.joined >= state.party.size;
    },
  };
}

export function waitForPeople(ticket, screens) {
  const { panel, tick, tell } = waitingPanel(ticket, giveUp);
  showInLobby(panel);
  tell(ticket);
  const clock = setInterval(tick, 500);
  let settled = false;

  function settle(state) {
    if (settled || !ENDED.includes(state.state)) return;
    settled = true;
    clearInterval(clock);
    stream.close();
    if (state.state === 'matched') screens.enterTable(state.table_id);
    else screens.enterLobby(ENDS[state.reason]);
  }

  function heard(state) {
    if (!ENDED.includes(state.state)) tell(state);
    settle(state);
  }

  async function giveUp({ currentTarget: cancel }) {
    cancel.disabled = true;
    try {
      settle(await cancelTicket(ticket.id));
    } catch (problem) {
      toast(inWords(problem));
      cancel.disabled = false;
    }
  }

  const stream = follow(`/v1/tickets/${ticket.id}/events`, {
    onEvent: ({ name, data }) => name === 'message' && heard(data),
    onState: (live) => {
      if (!live) getTicket(ticket.id).then(settle, (problem) => lost(problem));
    },
  });

  function lost(problem) {
    if (problem.status === 404) settle({ state: 'expired', reason: 'nobody_found' });
  }
}
