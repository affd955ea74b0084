// Before the first deal: the invite code to pass on, and who is still missing.

import { button, h, toast } from './dom.js';
import { occupantName } from './words.js';

const inviteLink = (code) => `${location.origin}/?join=${code}`;

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    toast('Link copied. Send it to your friends.');
  } catch {
    toast(text);
  }
}

async function share(code) {
  if (!navigator.share) return copy(inviteLink(code));
  try {
    await navigator.share({
      title: 'Spatz',
      text: `Play Bauerntarock with me. Code: ${code}`,
      url: inviteLink(code),
    });
  } catch {
    /* the player closed the share sheet */
  }
  return undefined;
}

function invitation(code) {
  return h(
    'div',
    { class: 'invitation' },
    h('p', {}, 'Tell your friends this code:'),
    h('output', { class: 'code', 'data-testid': 'invite-code' }, code),
    button('primary', 'share', () => share(code), 'Share the link'),
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
