// The lobby: sign in as a guest, then play against bots, people or friends.

import { createTable, createTicket, getQueues, joinTable, renameMe } from './api.js';
import { button, byId, clear, h } from './dom.js';
import { form, segments } from './forms.js';
import { signIn } from './session.js';
import { openHelp } from './sheet.js';
import { queueKind, queueSize } from './words.js';

const RULESET = 'brixental';
const NAME_LENGTH = 24;

const show = (...content) => {
  const body = byId('lobby-body');
  clear(body);
  body.append(...content);
};

const nameField = (value = '') =>
  h('input', {
    name: 'name',
    value,
    maxlength: NAME_LENGTH,
    autocomplete: 'nickname',
    placeholder: 'Your name (optional)',
    'aria-label': 'Your name',
    'data-testid': 'name',
  });

/** First visit: an optional name is all we ask for. */
export function showWelcome(onSignedIn) {
  show(
    form(
      { class: 'panel welcome' },
      async ({ name }) => {
        await signIn(name.trim());
        await onSignedIn();
      },
      h('h2', {}, 'Servus!'),
      h('p', {}, 'Sit down and play. No account needed: this device remembers you.'),
      nameField(),
      h('button', { class: 'primary', 'data-testid': 'sign-in' }, 'Sit down'),
      button('quiet', 'new-here', openHelp, 'I am new: how to play'),
    ),
  );
}

/** The server did not answer: nothing to show but a way to ask again. */
export function showOffline(words, onRetry) {
  show(
    h(
      'section',
      { class: 'panel welcome', 'data-testid': 'offline' },
      h('h2', {}, 'No answer'),
      h('p', {}, words),
      button('primary', 'try-again', onRetry, 'Try again'),
    ),
  );
}

/** Everything one can do, most likely first. */
export async function showHome(me, screens) {
  const queues = (await getQueues()).filter((queue) => queue.ruleset === RULESET);
  show(
    greeting(me, screens),
    againstBots(screens),
    againstPeople(queues, screens),
    withFriends(screens),
  );
}

function greeting(me, screens) {
  const rename = form(
    { class: 'name-form', hidden: true },
    async ({ name }) => {
      await showHome(await renameMe(name.trim()), screens);
    },
    nameField(me.name),
    h('button', { class: 'quiet' }, 'Save'),
  );
  const startRenaming = () => {
    line.hidden = true;
    rename.hidden = false;
  };
  const line = h(
    'p',
    { class: 'greeting' },
    'You play as ',
    h('b', { 'data-testid': 'my-name' }, me.name),
    ' ',
    button('link', 'rename', startRenaming, 'change'),
  );
  return h('div', {}, line, rename);
}

const playerCount = () =>
  segments('players', 'Players', [
    ['4', '4 players'],
    ['3', '3 players'],
  ]);

const matchLength = () =>
  segments('length', 'Match length', [
    ['rounds(1)', 'One round'],
    ['points(100)', 'To 100'],
  ]);

/** Developer aid: ?bot_seconds=0&pause_seconds=0 sets the pace of tables made from this page. */
function timeControl() {
  const query = new URLSearchParams(location.search);
  const names = ['move_seconds', 'bank_seconds', 'pause_seconds', 'bot_seconds'];
  return Object.fromEntries(
    names.filter((name) => query.has(name)).map((name) => [name, Number(query.get(name))]),
  );
}

async function openPrivateTable({ players, length }, bots, screens) {
  const table = await createTable({
    ruleset: RULESET,
    players: Number(players),
    options: { length },
    bots,
    time_control: timeControl(),
  });
  screens.enterTable(table.table_id);
}

function againstBots(screens) {
  return form(
    { class: 'panel' },
    (values) => openPrivateTable(values, Number(values.players) - 1, screens),
    h('h2', {}, 'Play against bots'),
    playerCount(),
    matchLength(),
    h('button', { class: 'primary', 'data-testid': 'play-bots' }, 'Deal the cards'),
  );
}

function againstPeople(queues, screens) {
  const button = (queue) =>
    form(
      { class: 'queue' },
      async () => screens.waitIn(await createTicket(queue.id)),
      h(
        'button',
        { class: `queue-button ${queue.kind}`, 'data-testid': `queue-${queue.id}` },
        h('b', {}, queueKind(queue)),
        h('small', {}, queueSize(queue)),
        h('small', {}, `${queue.waiting} waiting`),
      ),
    );
  return h(
    'section',
    { class: 'panel' },
    h('h2', {}, 'Play against people'),
    queues.length
      ? h('div', { class: 'queues' }, queues.map(button))
      : h('p', {}, 'No queue is open right now.'),
    h(
      'p',
      { class: 'note' },
      'Ranked matches count for the ladder. In casual ones bots fill empty seats after a while.',
    ),
  );
}

function withFriends(screens) {
  const create = form(
    { class: 'create' },
    (values) => {
      const seatForAFriend = Number(values.players) - 2;
      return openPrivateTable(values, Math.min(Number(values.bots), seatForAFriend), screens);
    },
    playerCount(),
    segments('bots', 'Bots at the table', [
      ['0', 'none'],
      ['1', '1'],
      ['2', '2'],
    ]),
    matchLength(),
    h('button', { class: 'primary', 'data-testid': 'create-table' }, 'Create a table'),
  );
  const join = form(
    { class: 'join' },
    async ({ code }) => {
      screens.enterTable((await joinTable(code.trim().toUpperCase())).table_id);
    },
    h('input', {
      name: 'code',
      required: true,
      maxlength: 12,
      autocomplete: 'off',
      autocapitalize: 'characters',
      spellcheck: 'false',
      placeholder: 'Code',
      'aria-label': 'Invite code',
      'data-testid': 'join-code',
    }),
    h('button', { class: 'primary', 'data-testid': 'join' }, 'Join'),
  );
  return h(
    'section',
    { class: 'panel' },
    h('h2', {}, 'Play with friends'),
    h('p', {}, 'Got a code from a friend?'),
    join,
    h(
      'details',
      { 'data-testid': 'create-details' },
      h('summary', {}, 'Or invite your friends'),
      create,
    ),
  );
}
