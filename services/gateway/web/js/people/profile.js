// A player's page: ratings with every change; the own one lists whom one blocks, that of others
// has the switch for it.

import { getBlocks, getLadders, getPlayer, getRatings } from '../api.js';
import { announce, h } from '../dom.js';
import { selection } from '../forms.js';
import { loadGames } from '../games.js';
import { fill } from '../loading.js';
import { page } from '../page.js';
import { drawHistory, loadHistory } from '../ranking/history.js';
import { ladderInWords } from '../ranking/ladders.js';
import { ownStanding } from '../ranking/standing.js';
import { ladderAddress, noteAddress, playerAddress } from '../route.js';
import { blockList, blockSwitch } from './blocks.js';

/** One rating and its history. */
function showRating(host, rating, { player, ladders, own }) {
  const { ladder_id: id } = rating;
  const ladder = ladders.find((each) => each.id === id);
  const changes = h('div', { class: 'stack' });
  host.replaceChildren(
    ownStanding(rating, { over: Boolean(ladder?.closed_at) }),
    h('a', { class: 'text-link', href: ladderAddress(id) }, 'The ladder'),
    h('h3', {}, 'Every change, and why'),
    changes,
  );
  fill(
    changes,
    () => loadHistory(player.id, id),
    (first) => drawHistory(first, player.id, id, own),
  );
}

function ratingsPanel(ratings, wanted, known) {
  if (!ratings.length)
    return h('p', { class: 'note', 'data-testid': 'no-ratings' }, 'No rated match yet.');
  const shown = h('div', { class: 'stack' });
  const first = ratings.find(({ ladder_id: id }) => id === wanted) ?? ratings[0];
  const choose = (id) => {
    noteAddress(playerAddress(known.player.id, id));
    showRating(
      shown,
      ratings.find((each) => each.ladder_id === id),
      known,
    );
  };
  showRating(shown, first, known);
  const choices = ratings.map(({ ladder_id: id }) => [id, ladderInWords(known.ladders, id)]);
  return [selection('ladder', 'Ladder', choices, first.ladder_id, choose), shown];
}

const paper = (testId, title, ...content) =>
  h('section', { class: 'panel', 'data-testid': testId }, h('h3', {}, title), ...content);

const load = (id) =>
  Promise.all([getPlayer(id), getRatings(id), getLadders(), getBlocks(), loadGames()]);

function draw([player, ratings, ladders, blocks], wanted, me, title) {
  const own = player.id === me.id;
  title.textContent = player.name;
  if (title.isConnected) document.title = `${player.name} · Spatz`;
  announce(player.name);
  const blocked = blocks.some((block) => block.player.id === player.id);
  return [
    paper('ratings', 'Ratings', ratingsPanel(ratings, wanted, { player, ladders, own })),
    own
      ? paper('blocks-panel', 'Whom you block', blockList(blocks))
      : paper('block-panel', 'Rather not meet again?', blockSwitch(player, blocked)),
  ];
}

export function profilePage({ player, ladder }, me) {
  const body = h('div', { class: 'profile-parts' });
  const made = page(player === me.id ? me.name : 'Player', 'profile-page', body);
  const title = made.querySelector('[data-page-title]');
  fill(
    body,
    () => load(player),
    (answers) => draw(answers, ladder, me, title),
  );
  return made;
}
