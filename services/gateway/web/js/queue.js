// Waiting for people: follows the ticket until a table is found, and lets the player cancel.

import { cancelTicket, getQueues, getTicket } from './api.js';
import { button, byId, clear, h, toast } from './dom.js';
import { pipArt } from './cards/faces.js';
import { gameName, loadGames } from './games.js';
import { inWords } from './problems.js';
import { follow } from './stream.js';
import { queueKind, queueSize } from './words.js';

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
      bots ? `Bots take the empty seats after ${bots} seconds.` : 'Only people play in this one.',
    ),
  );
}

export function waitForPeople(ticket, screens) {
  const time = h('b', { class: 'wait-time' }, '0:00');
  const place = h('p', { class: 'note', 'data-testid': 'wait-place' });
  const cancel = button('quiet', 'cancel-ticket', giveUp, 'Cancel');
  const about = h('div', {});
  const body = byId('lobby-body');
  clear(body);
  body.append(
    h(
      'section',
      { class: 'panel waiting', 'data-testid': 'waiting' },
      h('div', { class: 'wait-pip' }, pipArt('sparrow')),
      h('h2', {}, 'Looking for players …'),
      h('p', {}, time, ` · your rating is ${Math.round(ticket.rating)}`),
      place,
      about,
      cancel,
    ),
  );
  describe(ticket.queue_id, about).catch(() => {});

  const since = Date.parse(ticket.created_at);
  const clock = setInterval(() => {
    const seconds = Math.max(0, Math.round((Date.now() - since) / 1000));
    time.textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
  }, 500);
  let settled = false;

  function settle(state) {
    if (settled || !['matched', 'cancelled', 'expired'].includes(state.state)) return;
    settled = true;
    clearInterval(clock);
    stream.close();
    if (state.state === 'matched') screens.enterTable(state.table_id);
    else
      screens.enterLobby(state.state === 'expired' ? 'Nobody came. Please try again.' : undefined);
  }

  /** Where the ticket stands, as far as the server can tell. */
  function tell({ position, expected_wait_seconds: seconds }) {
    const wait = seconds === null ? '' : `, about ${Math.ceil(seconds)} s to go`;
    place.textContent = position === null ? '' : `Number ${position} in the queue${wait}`;
  }

  function heard(state) {
    if (state.state === 'waiting') tell(state);
    else if (state.state === 'proposed') place.textContent = 'People found, the table is set …';
    settle(state);
  }

  async function giveUp() {
    cancel.disabled = true;
    try {
      settle(await cancelTicket(ticket.id));
    } catch (problem) {
      toast(inWords(problem));
    }
  }

  const stream = follow(`/v1/tickets/${ticket.id}/events`, {
    onEvent: ({ name, data }) => name === 'message' && heard(data),
    onState: (live) => {
      if (!live) getTicket(ticket.id).then(settle, (problem) => lost(problem));
    },
  });

  function lost(problem) {
    if (problem.status === 404) settle({ state: 'expired' });
  }
}
