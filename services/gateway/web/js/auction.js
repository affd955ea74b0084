// Bidding, and naming the contract after it: the highest bid so far, and on the player's turn
// whatever is on offer. Contracts of one level are buttons; ladders share a place under tabs, and
// with more than one ladder all contracts do, so that a phone shows everything at once.

import { contract, ladderWords } from './contracts.js';
import { button, h } from './dom.js';
import { ladderSteps } from './ladder.js';
import { seatName } from './words.js';

/** What is on offer, sorted: {bids, verb, type, hold, pass}. */
function offers({ legal_actions: actions }) {
  const has = (type) => actions.some((action) => action.type === type);
  const type = has('announce') ? 'announce' : 'bid';
  return {
    type,
    verb: type === 'announce' ? 'Play' : 'Bid',
    bids: actions.filter((action) => action.type === type).map(({ bid }) => bid),
    hold: has('hold'),
    pass: has('pass'),
  };
}

/** The ladders among some contracts: [[title, ids], …]; `all`: the others as ladders of one. */
function laddersOf(bids, game, all) {
  const ladders = new Map();
  for (const bid of bids) {
    const { ladder, name } = contract(bid, game);
    const title = ladder ? ladderWords(ladder).name : all && name;
    if (title) ladders.set(title, [...(ladders.get(title) ?? []), bid]);
  }
  return [...ladders];
}

function namedBid(bid, game, verb, take) {
  const { name, german, text } = contract(bid, game);
  const title = h('b', {}, name, german && h('i', {}, ` ${german}`));
  const element = button('bid', `bid-${bid}`, () => take(bid), title, h('small', {}, text));
  element.setAttribute('aria-label', `${verb} ${name}. ${text}`);
  return element;
}

/**
 * Tabs with the steps of the ladder that is chosen. `open`: the lowest one at first. Otherwise
 * none, and while one is open it takes the place of the other contracts; a second tap closes it.
 */
function ladderTabs(ladders, game, verb, take, open) {
  const host = h('div', {});
  const tabs = ladders.map(([title, ids]) =>
    button('tab', `ladder-${ids[0]}`, () => choose(title), open ? title : `${title} …`),
  );
  let chosen = null;

  function choose(wanted) {
    chosen = chosen === wanted && !open ? null : wanted;
    ladders.forEach(([title, ids], index) => {
      tabs[index].setAttribute('aria-pressed', String(title === chosen));
      if (title !== chosen) return;
      const { ladder } = contract(ids[0], game);
      host.replaceChildren(
        ...(ladder ? [h('p', { class: 'note' }, ladderWords(ladder).text)] : []),
        ladderSteps(ids, game, verb, take),
      );
    });
    if (!chosen) host.replaceChildren();
    host.closest('.bids')?.classList.toggle('climbing', chosen !== null);
  }

  if (open) choose(ladders[0][0]);
  return h('div', { class: 'ladders' }, h('div', { class: 'tabs' }, tabs), host);
}

function answerButtons(view, player, { hold, pass }, high) {
  const game = view.rules.ruleset;
  return h(
    'div',
    { class: 'answers' },
    pass &&
      button(
        'bid pass',
        'bid-pass',
        () => player.move({ type: 'pass' }),
        h('b', {}, 'Pass'),
        h('small', {}, 'You are out of the auction.'),
      ),
    hold &&
      high &&
      button(
        'bid hold',
        'bid-hold',
        () => player.move({ type: 'hold' }),
        h('b', {}, `Hold ${contract(high.bid, game).name}`),
        h('small', {}, 'It is yours if they stop.'),
      ),
  );
}

function choices(view, player, high) {
  const offer = offers(view);
  const game = view.rules.ruleset;
  const take = (bid) => player.move({ type: offer.type, bid });
  const single = offer.bids.filter((bid) => !contract(bid, game).ladder);
  const crowded = laddersOf(offer.bids, game).length > 1;
  const named = crowded ? [] : single;
  const ladders = laddersOf(offer.bids, game, crowded);
  return h(
    'div',
    { class: 'bids', 'data-testid': 'bids' },
    (offer.pass || offer.hold) && answerButtons(view, player, offer, high),
    named.map((bid) => namedBid(bid, game, offer.verb, take)),
    ladders.length > 0 && ladderTabs(ladders, game, offer.verb, take, named.length === 0),
  );
}

const highest = (view) => view.deal.auction.filter(({ bid }) => bid).at(-1);

/** Whoever held the highest bid has it now. */
function holderOf(view, high) {
  const { auction } = view.deal;
  const held = auction.slice(auction.indexOf(high)).filter(({ hold }) => hold);
  return (held.at(-1) ?? high).seat;
}

function standing(view, high) {
  const name = high && contract(high.bid, view.rules.ruleset).name;
  if (view.legal_actions.some(({ type }) => type === 'announce'))
    return high ? `You won with ${name}. Name it or higher.` : 'Nobody bid. Name a contract.';
  return high ? `Highest bid: ${name} (${seatName(view, holderOf(view, high))})` : 'No bid yet';
}

export function auctionPanel(view, player) {
  const high = highest(view);
  const mine = view.legal_actions.some(({ type }) =>
    ['bid', 'announce', 'hold', 'pass'].includes(type),
  );
  return h(
    'div',
    { class: 'auction' },
    h('p', { class: 'highest', 'data-testid': 'auction' }, standing(view, high)),
    mine && choices(view, player, high),
  );
}
