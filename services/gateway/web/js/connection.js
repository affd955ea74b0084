// The banner that says that the server does not answer.

import { byId } from './dom.js';

const SHOW_AFTER_MS = 1500;

let timer = null;

/** It comes a little late, because most interruptions are over soon. */
export function showLost(lost) {
  const banner = byId('connection');
  if (lost) {
    timer ??= setTimeout(() => (banner.hidden = false), SHOW_AFTER_MS);
    return;
  }
  clearTimeout(timer);
  timer = null;
  banner.hidden = true;
}
