// Queues: a seat among people who want the same game.

import { h } from '../dom.js';
import { form } from '../forms.js';
import { enterQueue } from '../queue.js';
import { queueKind, queueSize } from '../words.js';
import { partyPanel } from './party.js';

const queueButton = (queue, screens) =>
  form(
    { class: 'queue' },
    () => enterQueue(queue.id, null, screens),
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
  const casual = open.filter(({ kind }) => kind === 'casual');
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
    casual.length > 0 && partyPanel(casual, screens),
  );
}
