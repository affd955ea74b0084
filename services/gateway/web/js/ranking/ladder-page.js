// The ladders to look at: choose game and season, see where oneself stands and who leads.

import { getLadders, getRank, getRatings } from '../api.js';
import { announce, h } from '../dom.js';
import { segments, selection } from '../forms.js';
import { gameName, loadGames } from '../games.js';
import { chosenGame } from '../lobby/games.js';
import { fill } from '../loading.js';
import { page } from '../page.js';
import { ladderAddress, noteAddress, playerAddress } from '../route.js';
import { count } from '../words.js';
import { gamesOf, seasonInWords, seasonsOf } from './ladders.js';
import { drawStandings, loadAround, loadTop } from './standings.js';
import { ownStanding } from './standing.js';

const paper = (testId, ...content) =>
  h('section', { class: 'panel', 'data-testid': testId }, ...content);

/** Which ladder to begin with: the one asked for, else the latest of the game last chosen. */
function firstLadder(ladders, games, wanted) {
  if (wanted) return ladders.find(({ id }) => id === wanted);
  const game = chosenGame(games).id;
  return seasonsOf(ladders, game)[0] ?? seasonsOf(ladders, gamesOf(ladders, games)[0])[0];
}

/** Two lists: the game, and its seasons. `onChoose(ladder)` runs with what is chosen. */
function chooser(ladders, games, chosen, onChoose) {
  const seasons = h('div', {});
  const choose = (ladder) => {
    const list = seasonsOf(ladders, ladder.ruleset);
    const pick = (id) => onChoose(list.find((each) => each.id === id));
    const choices = list.map((each) => [each.id, seasonInWords(each)]);
    seasons.replaceChildren(selection('season', 'Season', choices, ladder.id, pick));
  };
  const pickGame = (game) => {
    const [latest] = seasonsOf(ladders, game);
    choose(latest);
    onChoose(latest);
  };
  choose(chosen);
  const choices = gamesOf(ladders, games).map((game) => [game, gameName(game)]);
  return h(
    'div',
    { class: 'ladder-choice' },
    selection('game', 'Game', choices, chosen.ruleset, pickGame),
    seasons,
  );
}

/** Where the player stands on `ladder`; null without a rated match on it. */
async function loadOwn(ladder, me) {
  const [ratings, rank] = await Promise.all([getRatings(me.id), getRank(ladder.id, me.id)]);
  const rating = ratings.find(({ ladder_id: id }) => id === ladder.id);
  return rating ? { rating, rank } : null;
}

function drawOwn(own, ladder, me) {
  if (!own) return h('p', { class: 'note' }, 'You have played no ranked match in this season.');
  return [
    ownStanding(own.rating, { rank: own.rank, over: ladder.closed_at !== null }),
    h(
      'a',
      { class: 'text-link', href: playerAddress(me.id, ladder.id), 'data-testid': 'own-history' },
      'Every change of your rating',
    ),
  ];
}

/** One ladder: the player's own place above the standings. */
function showLadder(host, ladder, me) {
  const own = h('div', { class: 'stack' });
  const list = h('div', { class: 'stack' });
  const switcher = h('div', {});
  const show = (view) =>
    fill(
      list,
      () => (view === 'around' ? loadAround(ladder.id, me) : loadTop(ladder.id)),
      (first) => {
        announce(`${count(first.items.length, 'player')} shown`);
        return drawStandings(first, ladder.id, me);
      },
    );
  const offerAround = () => {
    const choices = [
      ['top', 'From the top'],
      ['around', 'Around you'],
    ];
    const field = segments('view', 'Show', choices);
    field.addEventListener('change', ({ target }) => show(target.value));
    switcher.replaceChildren(field);
  };
  host.replaceChildren(
    paper('own-panel', h('h3', {}, ladder.closed_at ? 'Where you ended' : 'Where you stand'), own),
    paper('standings-panel', h('h3', {}, 'Standings'), switcher, list),
  );
  show('top');
  fill(
    own,
    () => loadOwn(ladder, me),
    (standing) => {
      if (standing?.rank) offerAround();
      return drawOwn(standing, ladder, me);
    },
  );
}

function drawLadders([ladders, games], wanted, me) {
  if (!ladders.length)
    return paper('no-ladders', h('p', {}, 'Ladders begin with the first ranked match of a game.'));
  const ladder = firstLadder(ladders, games, wanted);
  if (!ladder) return paper('no-ladder', h('p', {}, 'There is no such ladder.'));
  const shown = h('div', { class: 'ladder-parts' });
  const choose = (chosen) => {
    noteAddress(ladderAddress(chosen.id));
    showLadder(shown, chosen, me);
  };
  showLadder(shown, ladder, me);
  return [paper('ladder-choice', chooser(ladders, games, ladder, choose)), shown];
}

export function ladderPage({ ladder }, me) {
  const body = h('div', { class: 'stack' });
  fill(
    body,
    () => Promise.all([getLadders(), loadGames()]),
    (answers) => drawLadders(answers, ladder, me),
  );
  return page('Ladders', 'ladder-page', body);
}
