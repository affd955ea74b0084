// Starts the page: installs the card art, signs in, and shows the lobby or the table the player
// was at.

import { getMe, joinTable } from './api.js';
import { installCards } from './cards/faces.js';
import { showLost } from './connection.js';
import { byId, toast } from './dom.js';
import { loadGames } from './games.js';
import { showHome, showOffline, showWelcome } from './lobby.js';
import { inWords } from './problems.js';
import { waitForPeople } from './queue.js';
import { signedIn } from './session.js';
import { closeSheetsOnClick, openHelp } from './sheet.js';
import { forget, read, write } from './store.js';
import { openTable } from './table.js';

function showScreen(name) {
  for (const screen of ['lobby', 'table']) byId(screen).hidden = screen !== name;
  window.scrollTo(0, 0);
}

const screens = {
  /** Takes a seat at a table and remembers it, so that a reload comes back to it. */
  enterTable(id) {
    if (read('table')?.id !== id) write('table', { id });
    showScreen('table');
    openTable(id, screens);
  },
  /** Back to the lobby, with a word why if there is one. */
  async enterLobby(reason) {
    forget('table');
    showScreen('lobby');
    if (reason) toast(reason);
    await start();
  },
  waitIn: (ticket) => waitForPeople(ticket, screens),
};

/** The table that an invite link, /?join=CODE, leads to; the link is used once. */
async function followInvite() {
  const address = new URL(location.href);
  const code = address.searchParams.get('join');
  if (!code) return null;
  let table = null;
  try {
    table = (await joinTable(code)).table_id;
  } catch (problem) {
    if (problem.passing) throw problem;
    toast(inWords(problem));
  }
  address.searchParams.delete('join');
  history.replaceState(null, '', address);
  return table;
}

async function start() {
  if (!signedIn()) {
    showScreen('lobby');
    showWelcome(start);
    return;
  }
  const table = read('table');
  if (table) {
    screens.enterTable(table.id);
    return;
  }
  showScreen('lobby');
  showLost(true);
  try {
    const me = await getMe();
    const invited = await followInvite();
    if (invited) screens.enterTable(invited);
    else if (me.ticket) screens.waitIn(me.ticket);
    else await showHome(me, screens);
  } catch (problem) {
    showOffline(inWords(problem), start);
  } finally {
    showLost(false);
  }
}

installCards();
// The table shows the game's name once it is known; nothing waits for it.
loadGames().catch(() => {});
closeSheetsOnClick();
document.addEventListener('click', (event) => {
  if (event.target.closest('[data-open="help"]')) openHelp();
});
start();
