// Queues: a seat among people who want the same game.

import { createTicket } from '../api.js';
import { h } from '../dom.js';
import { form } from '../forms.js';
import { queueKind, queueSize } from '../words.js';

/** Waits in a queue; who sits at a table already is shown to it instead. */
async function enqueue(queue, screens) {
  try {
    screens.waitIn(await createTicket(queue.id));
  } catch (problem) {
    if (problem.code !== 'already_playing') throw problem;
    screens.enterTable(problem.body.table_id);
  }
}

const queueButton = (queue, screens) =>
  form(
    { class: 'queue' },
    () => enqueue(queue, screens),
    h(
      'button',
      { class: `queue-button ${queue.kind}`, 'data-testid': `queue-${queue.id}` },
      h('b', {}, queueKind(queue)),
      h('small', {}, queueSize(queue)),
      h('small', {}, `${queue.waiting} waiting`),
    ),
  );

export function againstPeople(game, queues, screens) {
  const open = queues.filter((queue) => queue.ruleset === game.id);
  return h(
    'section',
    { class: 'panel' },
    h('h2', {}, 'Play against people'),
    open.length
      ? h(
          'div',
          { class: 'queues' },
          open.map((queue) => queueButton(queue, screens)),
        )
      : h('p', {}, 'No queue is open for this game.'),
    h(
      'p',
      { class: 'note' },
      'Ranked matches count for the ladder. In casual ones bots fill empty seats after a while.',
    ),
  );
}
