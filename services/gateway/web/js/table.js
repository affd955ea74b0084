// One table: keeps the view up to date from the event stream, sends the player's actions, and has
// the parts drawn. The view is the only truth; an event mostly says no more than "look again".

import { act, getTable } from './api.js';
import { renderCentre } from './centre.js';
import { stopClock, tickClock } from './clock.js';
import { showLost } from './connection.js';
import { announce, byId, clear, toast } from './dom.js';
import { checkSeal, forgetLastHand, noteAccepted, noteHand, prepareNonce } from './fair/seal.js';
import { renderHand } from './hand.js';
import { renderHead } from './head.js';
import { hintFor } from './hint.js';
import { createPacer } from './pacer.js';
import { inWords } from './problems.js';
import { renderScoreSide } from './score.js';
import { renderSeats } from './seats.js';
import { follow } from './stream.js';

const PARTS = ['table-head', 'opponents', 'centre', 'own-seat', 'hand', 'score-side'];
const LOAD_AGAIN_MS = 3000;

export function openTable(id, screens) {
  let view = null;
  let known; // the version to ask changes against; undefined asks for the whole view
  let stream = null;
  let live = false;
  let fetching = null;
  let again = false;
  let sending = false;
  let readySent = false;
  let seal = null;
  let closed = false;
  const chosen = new Set();
  const pacer = createPacer(paint);

  /** Fetches the view; calls during a fetch cause exactly one more, and wait for that one. */
  function refresh() {
    if (closed) return null;
    if (fetching) {
      again = true;
      return fetching;
    }
    fetching = load().finally(() => {
      fetching = null;
      if (again) {
        again = false;
        return refresh();
      }
      return null;
    });
    return fetching;
  }

  async function load() {
    try {
      const next = await getTable(id, known);
      if (next && !closed) accept(next);
    } catch (problem) {
      if (closed) return;
      if (problem.status === 404) leaveFor(inWords(problem));
      else if (!problem.passing) toast(inWords(problem));
      else {
        showLost(true);
        setTimeout(refresh, LOAD_AGAIN_MS);
      }
    }
  }

  function accept(next) {
    const behind = view && next.version < view.version;
    view = { ...next, received: performance.now() };
    known = view.version;
    if (behind) stream.restart(known);
    if (live) showLost(false);
    noteHand(view);
    if (view.phase === 'closed') {
      leaveFor('This table was closed.');
      return;
    }
    forgetStaleChoices();
    pacer.show(view);
    tickClock(view);
    sayReady();
    stream ??= follow(`/v1/tables/${id}/events`, { after: view.version, onEvent, onState });
  }

  function onEvent({ name, data }) {
    if (data.trick) pacer.hold(data.trick);
    if (name === 'resync') {
      known = undefined;
      forgetLastHand(id);
    } else if (data.version <= view.version) return;
    refresh();
  }

  function onState(state) {
    live = state;
    showLost(!live);
    if (!live) refresh();
  }

  async function sayReady() {
    if (readySent || !view.legal_actions.some((action) => action.type === 'ready')) return;
    readySent = true;
    const nonce = prepareNonce(view);
    // Two tabs say the same: so it is one command to the server, too.
    readySent = await send({ type: 'ready', nonce }, { commandId: nonce });
    if (readySent) noteAccepted(id);
  }

  function forgetStaleChoices() {
    const offered = view.legal_actions.find((action) => action.type === 'discard')?.from ?? [];
    for (const card of chosen) if (!offered.includes(card)) chosen.delete(card);
  }

  /** Sends one command at a time and says whether it was accepted; `look` ends the wait. */
  async function attempt(action, how, look = () => {}) {
    if (sending) return false;
    sending = true;
    byId('table').dataset.sending = action.card ?? action.type;
    const accepted = await act(id, action, how).then(
      () => true,
      (problem) => toast(inWords(problem)),
    );
    // What was offered before the answer is stale until the table was looked at again.
    await look();
    sending = false;
    delete byId('table').dataset.sending;
    return accepted === true;
  }

  const send = (action, how) => attempt(action, how, refresh);

  const player = {
    chosen,
    /**
     * A move belongs to the turn that the player saw: it is repeated only while that turn stands,
     * so a late repetition cannot play into another trick.
     */
    move(action) {
      pacer.skip();
      const turn = view.turn?.started_at;
      return send(action, { mayRepeat: () => view.turn?.started_at === turn });
    },
    /** A request that holds whatever the others do meanwhile. */
    request: (action) => send(action),
    toggle(card) {
      if (!chosen.delete(card)) chosen.add(card);
      pacer.show(view);
    },
    async leave() {
      if (await attempt({ type: 'leave' })) leaveFor();
    },
    toLobby: () => leaveFor(),
    /** To a page of the lobby. */
    toPage: (address) => leaveFor(undefined, address),
    current: () => view,
    /** The check of the shuffle, made once. */
    seal() {
      seal ??= checkSeal(view);
      return seal;
    },
  };

  function paint(current, held) {
    const root = byId('table');
    root.dataset.phase = held ? 'play' : current.phase;
    root.dataset.version = current.version;
    renderHead(byId('table-head'), current, player);
    renderSeats(byId('opponents'), byId('own-seat'), current, player);
    renderCentre(byId('centre'), current, held, player);
    renderHand(byId('hand'), current, player);
    renderScoreSide(byId('score-side'), current);
    const hint = held ? '' : hintFor(current, chosen);
    byId('hint').textContent = hint;
    if (hint) announce(hint);
  }

  const onVisible = () => {
    if (!document.hidden) refresh();
  };

  function leaveFor(reason, address) {
    if (closed) return;
    closed = true;
    document.removeEventListener('visibilitychange', onVisible);
    showLost(false);
    stream?.close();
    pacer.stop();
    stopClock();
    PARTS.forEach((part) => clear(byId(part)));
    screens.enterLobby(reason, address);
  }

  document.addEventListener('visibilitychange', onVisible);
  showLost(true);
  refresh();
}
