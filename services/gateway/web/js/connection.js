// The banner that says that the server does not answer.

import { byId } from './dom.js';

const SHOW_AFTER_MS = 1500;

let timer;

/** It comes a little late, because most interruptions are over soon. */
export function showLost(lost) {
  clearTimeout(timer);
  const banner = byId('connection');
  if (!lost) banner.hidden = true;
  else timer = setTimeout(() => (banner.hidden = false), SHOW_AFTER_MS);
}
