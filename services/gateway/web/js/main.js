// Starts the page: installs the card art, signs in, and shows the lobby or the table the player
// was at.

import { getMe, joinTable } from './api.js';
import { installCards } from './cards/faces.js';
import { showLost } from './connection.js';
import { byId, toast } from './dom.js';
import { loadGames } from './games.js';
import { homePage, showOffline, showWelcome } from './lobby.js';
import { clearTitle, focusPage, showInLobby } from './page.js';
import { profilePage } from './people/profile.js';
import { inWords } from './problems.js';
import { enterQueue, waitForPeople } from './queue.js';
import { ladderPage } from './ranking/ladder-page.js';
import { HOME_ADDRESS, currentRoute, noteAddress } from './route.js';
import { signedIn } from './session.js';
import { closeSheet, closeSheetsOnClick, openHelp } from './sheet.js';
import { forget, read, write } from './store.js';
import { openTable } from './table.js';

/** Only the lobby has pages; who waits or plays stays where they are. */
let browsing = false;
/** Counts what was shown: what an older start finds out comes too late. */
let shown = 0;

function showScreen(name) {
  for (const screen of ['lobby', 'table']) byId(screen).hidden = screen !== name;
  window.scrollTo(0, 0);
}

function leavePages() {
  browsing = false;
  shown += 1;
  noteAddress(HOME_ADDRESS);
  clearTitle();
}

const screens = {
  /** Takes a seat at a table and remembers it, so that a reload comes back to it. */
  enterTable(id) {
    if (read('table')?.id !== id) write('table', { id });
    leavePages();
    showScreen('table');
    openTable(id, screens);
  },
  /** Back to the lobby, with a word why if there is one, to one of its pages or home. */
  async enterLobby(reason, address = HOME_ADDRESS) {
    forget('table');
    noteAddress(address);
    showScreen('lobby');
    if (reason) toast(reason);
    await start({ moved: true });
  },
  waitIn(ticket) {
    leavePages();
    waitForPeople(ticket, screens);
    focusPage();
  },
};

/** What a link says that friends passed on; it is used once. */
function takeInvite() {
  const address = new URL(location.href);
  const [table, party, queue] = ['join', 'party', 'queue'].map((name) => {
    const value = address.searchParams.get(name);
    address.searchParams.delete(name);
    return value;
  });
  if (!table && !(party && queue)) return null;
  address.hash = '';
  return { table, party, queue, forget: () => history.replaceState(null, '', address) };
}

/** Goes where an invite link leads, /?join=CODE or /?party=CODE&queue=ID; says whether it did. */
async function followInvite(me) {
  const invite = takeInvite();
  if (!invite) return false;
  try {
    if (invite.table) screens.enterTable((await joinTable(invite.table)).table_id);
    else if (me.ticket) screens.waitIn(me.ticket);
    else await enterQueue(invite.queue, { code: invite.party }, screens);
  } catch (problem) {
    if (problem.passing) throw problem;
    toast(inWords(problem));
    invite.forget();
    return false;
  }
  invite.forget();
  return true;
}

async function pageFor(route, me) {
  if (route.page === 'ladder') return [ladderPage(route, me)];
  if (route.page === 'player') return [profilePage(route, me)];
  return homePage(me, screens);
}

/** `moved`: the player went somewhere, and the focus goes along. */
async function start({ moved = false } = {}) {
  shown += 1;
  const mine = shown;
  browsing = false;
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
  browsing = true;
  showLost(true);
  try {
    const me = await getMe();
    if (mine !== shown || (await followInvite(me))) return;
    if (me.ticket) {
      screens.waitIn(me.ticket);
      return;
    }
    const content = await pageFor(currentRoute(), me);
    if (mine !== shown) return;
    showInLobby(...content);
    if (moved) focusPage();
  } catch (problem) {
    if (mine === shown) showOffline(inWords(problem), start);
  } finally {
    showLost(false);
  }
}

function follow() {
  closeSheet();
  if (browsing) start({ moved: true });
}

installCards();
// The table shows the game's name once it is known; nothing waits for it.
loadGames().catch(() => {});
closeSheetsOnClick();
document.addEventListener('click', (event) => {
  if (event.target.closest('[data-open="help"]')) openHelp();
});
window.addEventListener('hashchange', follow);
start();
