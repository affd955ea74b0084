// Which game: one choice that the whole lobby follows, remembered on this device.

import { h } from '../dom.js';
import { rulesLinks } from '../rules-links.js';
import { read, write } from '../store.js';

/** "3 or 4 players" */
const playersOf = ({ players }) => `${players.join(' or ')} players`;

export const chosenGame = (games) => games.find(({ id }) => id === read('game')) ?? games[0];

/** `onChoose(game)` runs when another game is chosen. */
export function gameChooser(games, onChoose) {
  const current = chosenGame(games);
  const links = h('div', {}, rulesLinks(current.id));
  const choose = (game) => {
    write('game', game.id);
    links.replaceChildren(rulesLinks(game.id));
    onChoose(game);
  };
  return h(
    'section',
    { class: 'panel chooser' },
    h('h2', { id: 'game-title' }, 'Choose a game'),
    h(
      'div',
      { class: 'games', role: 'radiogroup', 'aria-labelledby': 'game-title' },
      games.map((game) =>
        h(
          'label',
          { class: 'game', 'data-testid': `game-${game.id}` },
          h('input', {
            type: 'radio',
            name: 'game',
            value: game.id,
            checked: game === current,
            onchange: () => choose(game),
          }),
          h('span', {}, h('b', {}, game.name), h('small', {}, playersOf(game))),
        ),
      ),
    ),
    links,
  );
}
