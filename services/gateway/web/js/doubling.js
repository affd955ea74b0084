// Doubling: the defenders one after the other, then the declarer once more.

import { multiplier } from './contracts.js';
import { button, h } from './dom.js';
import { seatName } from './words.js';

const asked = {
  double: { title: 'Double', pass: 'Leave it as it is.' },
  redouble: { title: 'Redouble', pass: 'Leave it doubled.' },
};

export function doublingPanel(view, player) {
  const now = multiplier(view);
  const { doubled_by: doubledBy } = view.deal;
  const state =
    doubledBy === null
      ? `Nobody has doubled. The deal counts ×${now}.`
      : `${seatName(view, doubledBy)} doubled: the deal counts ×${now}.`;
  const type = ['double', 'redouble'].find((name) =>
    view.legal_actions.some((action) => action.type === name),
  );
  const move = (name) => () => player.move({ type: name });
  return h(
    'div',
    { class: 'auction' },
    h('p', { class: 'highest', 'data-testid': 'multiplier' }, state),
    type &&
      h(
        'div',
        { class: 'answers', 'data-testid': 'doubling' },
        button(
          'bid pass',
          'double-pass',
          move('pass'),
          h('b', {}, 'Pass'),
          h('small', {}, asked[type].pass),
        ),
        button(
          'bid',
          type,
          move(type),
          h('b', {}, asked[type].title),
          h('small', {}, `Then it counts ×${multiplier(view, { doubled: 1 })}.`),
        ),
      ),
  );
}
