// Private tables: against bots, and with friends by invite code.

import { createTable, joinTable } from '../api.js';
import { h } from '../dom.js';
import { codeForm, form, segments } from '../forms.js';
import { chosenOptions, optionField } from './options.js';

/** Developer aid: ?bot_seconds=0&pause_seconds=0 sets the pace of tables made from this page. */
function timeControl() {
  const query = new URLSearchParams(location.search);
  const names = ['move_seconds', 'bank_seconds', 'pause_seconds', 'bot_seconds'];
  return Object.fromEntries(
    names.filter((name) => query.has(name)).map((name) => [name, Number(query.get(name))]),
  );
}

async function openTable(game, values, bots, screens) {
  const table = await createTable({
    ruleset: game.id,
    players: Number(values.players),
    options: chosenOptions(game.options, values),
    bots,
    time_control: timeControl(),
  });
  screens.enterTable(table.table_id);
}

/** The largest table first; no choice where there is none. */
function playerCount({ players }) {
  if (players.length === 1)
    return h('input', { type: 'hidden', name: 'players', value: players[0] });
  const choices = [...players].reverse().map((number) => [String(number), `${number} players`]);
  return segments('players', 'Players', choices);
}

/** How long in sight, what else a village may play its own way on demand. */
function rulesFields({ options }) {
  const [length, others] = [
    options.filter(({ name }) => name === 'length'),
    options.filter(({ name }) => name !== 'length'),
  ];
  return [
    ...length.map(optionField),
    others.length > 0 &&
      h(
        'details',
        { class: 'house-rules', 'data-testid': 'house-rules' },
        h('summary', {}, 'House rules'),
        h('div', { class: 'fields' }, others.map(optionField)),
      ),
    h('p', { class: 'refused', role: 'alert', hidden: true, 'data-testid': 'refused' }),
  ];
}

export function againstBots(game, screens) {
  return form(
    { class: 'panel', 'data-testid': 'bots-panel' },
    (values) => openTable(game, values, Number(values.players) - 1, screens),
    h('h2', {}, 'Play against bots'),
    playerCount(game),
    rulesFields(game),
    h('button', { class: 'primary', 'data-testid': 'play-bots' }, 'Deal the cards'),
  );
}

const joinForm = (screens) =>
  codeForm('join', 'table', async (code) => {
    screens.enterTable((await joinTable(code)).table_id);
  });

function createForm(game, screens) {
  const seatsForBots = Array.from({ length: Math.max(...game.players) - 1 }, (_, bots) => bots);
  const choices = seatsForBots.map((bots) => [String(bots), bots ? String(bots) : 'none']);
  return form(
    { class: 'create' },
    (values) => {
      const seatForAFriend = Number(values.players) - 2;
      return openTable(game, values, Math.min(Number(values.bots), seatForAFriend), screens);
    },
    playerCount(game),
    segments('bots', 'Bots at the table', choices),
    rulesFields(game),
    h('button', { class: 'primary', 'data-testid': 'create-table' }, 'Create a table'),
  );
}

export function withFriends(game, screens) {
  return h(
    'section',
    { class: 'panel' },
    h('h2', {}, 'Play with friends'),
    h('p', {}, 'Got a code from a friend?'),
    joinForm(screens),
    h(
      'details',
      { 'data-testid': 'create-details' },
      h('summary', {}, 'Or invite your friends'),
      createForm(game, screens),
    ),
  );
}
