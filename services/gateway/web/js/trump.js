// Naming the trump suit: a button for each suit on offer, with how many of it the player holds.

import { pipArt } from './cards/faces.js';
import { button, h } from './dom.js';
import { count, says, suitLetter } from './words.js';

const capital = (text) => text[0].toUpperCase() + text.slice(1);

function suitButton({ suit }, view, player) {
  const letter = suitLetter(suit);
  const held = view.deal.hand.filter((card) => card[0] === letter).length;
  return button(
    'bid suit',
    `trump-${suit}`,
    () => player.move({ type: 'declare_trump', suit }),
    pipArt(letter),
    h('span', {}, h('b', {}, capital(suit)), h('small', {}, count(held, 'card'))),
  );
}

export function trumpPanel(view, player) {
  const offers = view.legal_actions.filter(({ type }) => type === 'declare_trump');
  if (!offers.length) {
    const who = says(view, view.deal.declaration.declarer, 'name');
    return h('p', { class: 'panel-note' }, `${who} the trump suit.`);
  }
  return h(
    'div',
    { class: 'auction', 'data-testid': 'trumps' },
    h('p', { class: 'highest' }, 'Which suit is trump?'),
    h(
      'div',
      { class: 'suits' },
      offers.map((offer) => suitButton(offer, view, player)),
    ),
  );
}
