// Starts the page: installs the card art, signs in, and shows the lobby or the table the player
// was at.

import { getMe, joinTable } from './api.js';
import { installCards } from './cards/faces.js';
import { byId, toast } from './dom.js';
import { showHome, showWelcome } from './lobby.js';
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

/** An invite link is /?join=CODE; it is used once. */
function takeInvite() {
  const address = new URL(location.href);
  const code = address.searchParams.get('join');
  if (code) {
    address.searchParams.delete('join');
    history.replaceState(null, '', address);
  }
  return code;
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
  try {
    const me = await getMe();
    const code = takeInvite();
    if (code) screens.enterTable((await joinTable(code)).table_id);
    else if (me.ticket) screens.waitIn(me.ticket);
    else await showHome(me, screens);
  } catch (problem) {
    toast(inWords(problem));
    showWelcome(start);
  }
}

installCards();
closeSheetsOnClick();
document.addEventListener('click', (event) => {
  if (event.target.closest('[data-open="help"]')) openHelp();
});
start();
