// Friends who want to sit together in a casual queue: one opens a party and passes its code on,
// the others queue with it.

import { h } from '../dom.js';
import { codeForm, form, segments } from '../forms.js';
import { enterQueue } from '../queue.js';
import { count } from '../words.js';

const joinForm = (queueOf, screens) =>
  codeForm('join-party', 'party', (code) => enterQueue(queueOf().id, { code }, screens));

/** Two, up to as many as sit at the table. */
function sizes({ players }) {
  const numbers = Array.from({ length: players - 1 }, (_, index) => String(index + 2));
  return segments(
    'size',
    'How many you are',
    numbers.map((number) => [number, number]),
  );
}

/** `queues`: the casual ones of a game, at least one. */
export function partyPanel(queues, screens) {
  let queue = queues[0];
  const size = h('div', {}, sizes(queue));
  const tables = segments(
    'party-queue',
    'Table',
    queues.map(({ id, players }) => [id, count(players, 'player')]),
  );
  tables.hidden = queues.length === 1;
  tables.addEventListener('change', ({ target }) => {
    queue = queues.find(({ id }) => id === target.value);
    size.replaceChildren(sizes(queue));
  });
  const open = form(
    { class: 'create' },
    (values) => enterQueue(queue.id, { size: Number(values.size) }, screens),
    size,
    h('button', { class: 'primary', 'data-testid': 'party-open' }, 'Open a party'),
  );
  return h(
    'details',
    { 'data-testid': 'party-details' },
    h('summary', {}, 'Queue together with friends'),
    h(
      'div',
      { class: 'fields' },
      tables,
      h('p', {}, 'Got the code of a party? Choose its table, too.'),
      joinForm(() => queue, screens),
      open,
    ),
  );
}
