// Before the first deal: the invite code to pass on, and who is still missing.

import { button, h } from './dom.js';
import { inviteLink, share } from './invite.js';
import { occupantName } from './words.js';

function invitation(code) {
  const pass = () => share(`Play Bauerntarock with me. Code: ${code}`, inviteLink({ join: code }));
  return h(
    'div',
    { class: 'invitation' },
    h('p', {}, 'Tell your friends this code:'),
    h('output', { class: 'code', 'data-testid': 'invite-code' }, code),
    button('primary', 'share', pass, 'Share the link'),
  );
}

function seatState(seat) {
  if (!seat.occupant) return ['free', 'waiting for someone'];
  return seat.ready ? ['ready', 'is here'] : ['coming', 'on the way'];
}

export function seatingPanel(view) {
  return h(
    'div',
    { class: 'seating', 'data-testid': 'seating' },
    view.invite_code ? invitation(view.invite_code) : null,
    h(
      'ul',
      {},
      view.seats.map((seat) => {
        const [state, words] = seatState(seat);
        return h('li', { class: state }, h('b', {}, occupantName(seat)), h('span', {}, words));
      }),
    ),
  );
}
