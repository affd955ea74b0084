// The lobby: sign in as a guest, choose a game, then play against bots, people or
// friends.

import { getQueues, renameMe } from './api.js';
import { button, h } from './dom.js';
import { form } from './forms.js';
import { loadGames } from './games.js';
import { chosenGame, gameChooser } from './lobby/games.js';
import { againstPeople } from './lobby/people.js';
import { againstBots, withFriends } from './lobby/private.js';
import { showInLobby } from './page.js';
import { ladderAddress, playerAddress } from './route.js';
import { signIn } from './session.js';
import { openHelp } from './sheet.js';

const NAME_LENGTH = 24;

const nameField = (value = '') =>
  h('input', {
    name: 'name',
    value,
    maxlength: NAME_LENGTH,
    autocomplete: 'nickname',
    placeholder: 'Your name (optional)',
    'aria-label': 'Your name',
    'data-testid': 'name',
  });

/** First visit: an optional name is all we ask for. */
export function showWelcome(onSignedIn) {
  showInLobby(
    form(
      { class: 'panel welcome' },
      async ({ name }) => {
        await signIn(name.trim());
        await onSignedIn();
      },
      h('h2', {}, 'Servus!'),
      h('p', {}, 'Sit down and play. No account needed: this device remembers you.'),
      nameField(),
      h('button', { class: 'primary', 'data-testid': 'sign-in' }, 'Sit down'),
      button('quiet', 'new-here', openHelp, 'I am new: how to play'),
    ),
  );
}

/** The server did not answer: nothing to show but a way to ask again. */
export function showOffline(words, onRetry) {
  showInLobby(
    h(
      'section',
      { class: 'panel welcome', 'data-testid': 'offline' },
      h('h2', {}, 'No answer'),
      h('p', {}, words),
      button('primary', 'try-again', onRetry, 'Try again'),
    ),
  );
}

/** Everything one can do with the chosen game, most likely first. */
export async function homePage(me, screens) {
  const [games, queues] = await Promise.all([loadGames(), getQueues()]);
  const panels = (game) => [
    againstBots(game, screens),
    againstPeople(game, queues, screens),
    withFriends(game, screens),
  ];
  let shown = panels(chosenGame(games));
  const chooser = gameChooser(games, (game) => {
    const old = shown;
    shown = panels(game);
    old.forEach((panel, index) => panel.replaceWith(shown[index]));
  });
  return [greeting(me, screens), chooser, ...shown];
}

const pages = (me) =>
  h(
    'nav',
    { class: 'lobby-pages', 'aria-label': 'Pages' },
    h('a', { href: ladderAddress(), 'data-testid': 'to-ladders' }, 'Ladders'),
    h('a', { href: playerAddress(me.id), 'data-testid': 'to-profile' }, 'Your profile'),
  );

function greeting(me, screens) {
  const rename = form(
    { class: 'name-form', hidden: true },
    async ({ name }) => {
      await renameMe(name.trim());
      await screens.enterLobby();
    },
    nameField(me.name),
    h('button', { class: 'quiet' }, 'Save'),
  );
  const startRenaming = () => {
    line.hidden = true;
    rename.hidden = false;
    rename.querySelector('input').focus();
  };
  const line = h(
    'p',
    { class: 'greeting' },
    h('span', {}, 'You play as ', h('b', { 'data-testid': 'my-name' }, me.name)),
    button('link', 'rename', startRenaming, 'change'),
  );
  return h('div', { class: 'greeting-row' }, h('div', {}, line, rename), pages(me));
}
