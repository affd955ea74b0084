// Bidding: the highest bid so far, and on the player's turn a button for each bid on offer.

import { button, h } from './dom.js';
import { contract, seatName } from './words.js';

const promisesPoints = (bid) => /^\d+$/.test(bid) || bid === 'all_tricks';

function bidButton(bid, player, look, ...content) {
  const { name, text } = contract(bid);
  const element = button(look, `bid-${bid}`, () => player.move({ type: 'bid', bid }), ...content);
  element.setAttribute('aria-label', `Bid ${name}. ${text}`);
  return element;
}

function namedBid(bid, player) {
  const { name, german, text } = contract(bid);
  const title = h('b', {}, name, german && h('i', {}, ` ${german}`));
  return bidButton(bid, player, 'bid', title, h('small', {}, text));
}

function higherBids(bids, player, open) {
  const chips = bids.map((bid) => bidButton(bid, player, 'chip', h('b', {}, contract(bid).name)));
  const show = ({ target }) => target.open && target.scrollIntoView({ block: 'nearest' });
  return h(
    'details',
    { open, ontoggle: show },
    h('summary', {}, 'Bid higher'),
    h('p', { class: 'note' }, 'You promise so many of the 120 points. No exchange, double score.'),
    h('div', { class: 'chips' }, chips),
  );
}

function passButton(player) {
  const pass = () => player.move({ type: 'pass' });
  const text = h('small', {}, 'Play against the declarer. You cannot bid again.');
  return button('bid pass', 'bid-pass', pass, h('b', {}, 'Pass'), text);
}

function choices(view, player) {
  const offers = view.legal_actions.filter((action) => action.type === 'bid');
  const bids = offers.map((action) => action.bid);
  const named = bids.filter((bid) => !promisesPoints(bid));
  const higher = bids.filter(promisesPoints);
  return h(
    'div',
    { class: 'bids', 'data-testid': 'bids' },
    passButton(player),
    named.map((bid) => namedBid(bid, player)),
    higher.length > 0 && higherBids(higher, player, named.length === 0),
  );
}

function highestBid(view) {
  const last = view.deal.auction.filter(({ bid }) => bid).at(-1);
  const text = last
    ? `Highest bid: ${contract(last.bid).name} (${seatName(view, last.seat)})`
    : 'No bid yet';
  return h('p', { class: 'highest', 'data-testid': 'auction' }, text);
}

export function auctionPanel(view, player) {
  const bidding = view.legal_actions.some(({ type }) => type === 'bid' || type === 'pass');
  return h('div', { class: 'auction' }, highestBid(view), bidding && choices(view, player));
}
