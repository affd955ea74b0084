// The middle of the table shows one thing at a time; which one follows from the phase.

import { auctionPanel } from './auction.js';
import { clear, redraw } from './dom.js';
import { doublingPanel } from './doubling.js';
import { renderExchange } from './exchange.js';
import { finishPanel } from './finish.js';
import { dealResult } from './score.js';
import { seatingPanel } from './seating.js';
import { renderTrick } from './trick.js';
import { trumpPanel } from './trump.js';

/** A panel about the running deal that waits for `build`'s player to decide. */
const decision = (build) => (view, player) => [
  [view.phase, view.deal, view.legal_actions],
  () => build(view, player),
];

/** Panels that are rebuilt as a whole when what they show changes. */
const PANELS = {
  seating: (view) => [[view.seats, view.invite_code], () => seatingPanel(view)],
  auction: decision(auctionPanel),
  announcement: decision(auctionPanel),
  trump: decision(trumpPanel),
  doubling: decision(doublingPanel),
  between_deals: (view) => [[view.score_sheet], () => dealResult(view)],
  ended: (view, player) => [[view.result, view.rating_changes], () => finishPanel(view, player)],
};

/** Parts that are kept and updated, so that cards can move and keep the focus. */
const KEPT = {
  exchange: renderExchange,
  play: (host, view, player, held) => renderTrick(host, view, held),
};

export function renderCentre(host, view, held, player) {
  const phase = held ? 'play' : view.phase;
  if (host.dataset.shows !== phase) {
    host.dataset.shows = phase;
    clear(host);
  }
  if (KEPT[phase]) {
    KEPT[phase](host, view, player, held);
    return;
  }
  const [key, build] = PANELS[phase](view, player);
  redraw(host, key, build);
}
