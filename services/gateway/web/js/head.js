// The strip above the table: menu, which deal and contract, score sheet.

import { pipArt } from './cards/faces.js';
import { declarationLine } from './declaration.js';
import { button, h, redraw } from './dom.js';
import { gameName } from './games.js';
import { rulesLinks } from './rules-links.js';
import { openScore } from './score.js';
import { closeSheet, openHelp, openSheet } from './sheet.js';
import { lengthInWords, suitLetter } from './words.js';

function subtitle(view) {
  if (view.phase === 'ended') return 'The match is over';
  return declarationLine(view) ?? (view.deal ? 'Bidding' : gameName(view.rules.ruleset));
}

const menuSign = () => [
  h('span', { 'aria-hidden': 'true' }, '☰'),
  h('span', { class: 'visually-hidden' }, 'Menu'),
];

export function renderHead(host, view, player) {
  const number = view.deal?.number ?? view.score_sheet.length;
  const title = number ? `Deal ${number}` : 'Spatz';
  const text = subtitle(view);
  const trump = view.phase === 'ended' ? null : view.deal?.trump;
  redraw(host, [title, text, trump], () => [
    button('icon', 'menu', () => openMenu(player), ...menuSign()),
    h(
      'div',
      { class: 'head-text' },
      h('b', {}, title),
      h('span', { 'data-testid': 'contract' }, trump && pipArt(suitLetter(trump)), ` ${text}`),
    ),
    button('icon score-open', 'score-open', () => openScore(player.current()), 'Score'),
  ]);
}

const KINDS = { ranked: 'Ranked match', casual: 'Casual match', private: 'Private table' };

/** Closes the sheet, then does `work`. */
const thenDo = (work) => () => {
  closeSheet();
  work();
};

function openMenu(player) {
  const view = player.current();
  openSheet(
    'Table',
    h('p', {}, h('b', {}, gameName(view.rules.ruleset))),
    h('p', {}, `${KINDS[view.kind]}, ${lengthInWords(view.rules.options.length)}.`),
    rulesLinks(view.rules.ruleset),
    h(
      'p',
      { class: 'note' },
      'The shuffle was fixed before you sat down and is checked when the match ends. Its seal: ',
      h('code', {}, `${view.seed_hash.slice(0, 16)}…`),
    ),
    h(
      'div',
      { class: 'sheet-buttons' },
      button('quiet', 'menu-help', thenDo(openHelp), 'How to play'),
      view.phase === 'ended'
        ? button('primary', 'leave', thenDo(player.toLobby), 'To the lobby')
        : button('danger', 'leave', () => confirmLeave(view, player), 'Leave'),
    ),
  );
}

function confirmLeave(view, player) {
  const loss =
    view.phase === 'seating'
      ? 'Your seat becomes free.'
      : 'A bot takes your seat and you cannot come back.';
  openSheet(
    'Leave for good?',
    h('p', {}, loss),
    view.kind === 'ranked' && h('p', {}, 'In a ranked match you will be last.'),
    h(
      'div',
      { class: 'sheet-buttons' },
      button('quiet', 'stay', closeSheet, 'Stay'),
      button('danger', 'leave-confirm', thenDo(player.leave), 'Leave'),
    ),
  );
}
