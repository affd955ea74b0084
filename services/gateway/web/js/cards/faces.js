// The card faces: 36 symbols and a back, built once into a hidden sprite and shown with <use>. A
// card is 100 x 160; its index sits in the left third, which a fanned hand leaves visible.

import { SHAPES, place } from './pips.js';
import { figure } from './figures.js';

const SUITS = ['E', 'G', 'H', 'S'];
const RANKS = ['A', 'X', 'K', 'O', 'U', '9', '8', '7', '6'];
const COLOURS = { E: '#6b4212', G: '#23602b', H: '#b01c26', S: '#8a5600' };

const COLUMNS = [38, 62];
const ROWS = { 3: [38, 80, 122], 4: [30, 63.5, 97, 130] };
const grid = (rows) => ROWS[rows].flatMap((y) => COLUMNS.map((x) => [x, y]));
const PIPS = {
  6: grid(3),
  7: [...grid(3), [50, 59]],
  8: grid(4),
  9: [...grid(4), [50, 80]],
  X: [...grid(4), [50, 46.5], [50, 113.5]],
};

function corner(suit, rank) {
  const label = rank === 'X' ? '10' : rank;
  const squeeze = rank === 'X' ? ' textLength="25" lengthAdjust="spacingAndGlyphs"' : '';
  return `<text x="16" y="31" text-anchor="middle" class="card-index" fill="${COLOURS[suit]}"${squeeze}>${label}</text>
    ${place(suit, 16, 48, 21)}`;
}

const opposite = (art) => `<g transform="rotate(180 50 80)">${art}</g>`;

function numbered(suit, rank) {
  const pips = PIPS[rank].map(([x, y]) => place(suit, x, y, 21, y > 80)).join('');
  return pips + opposite(corner(suit, rank));
}

/** The Daus: two large pips on a ribbon, as on a German deuce. */
function ace(suit, rank) {
  return `<path d="M24 88c14-14 38 6 56-12v14c-18 16-42-4-56 12z" fill="#f1d9a0" stroke="${COLOURS[suit]}" stroke-width="1.5"/>
    ${place(suit, 56, 45, 54)}${place(suit, 46, 119, 54, true)}${opposite(corner(suit, rank))}`;
}

const BIG_PIP = { K: [81, 24], O: [81, 24], U: [20, 132] };

function court(suit, rank) {
  const [x, y] = BIG_PIP[rank];
  return `<g clip-path="url(#card-inside)"><g transform="translate(3 5)">${figure(suit, rank)}</g></g>${place(suit, x, y, 28)}`;
}

const EXTRAS = {
  H6: place('sparrow', 51, 101, 34),
  S6: '<text x="50" y="104" text-anchor="middle" class="card-weli">WELI</text>',
};

function face(suit, rank) {
  const draw = rank === 'A' ? ace : rank in PIPS ? numbered : court;
  return `<rect x="1" y="1" width="98" height="158" rx="9" fill="#fdf8ea" stroke="#8b7a5c" stroke-width="1.6"/>
    <rect x="5" y="5" width="90" height="150" rx="6" fill="none" stroke="#d8c9a3" stroke-width="1"/>
    ${draw(suit, rank)}${corner(suit, rank)}${EXTRAS[suit + rank] ?? ''}`;
}

const back = `
  <rect x="1" y="1" width="98" height="158" rx="9" fill="#fdf8ea" stroke="#8b7a5c" stroke-width="1.6"/>
  <rect x="6" y="6" width="88" height="148" rx="6" fill="#7d1d24"/>
  <rect x="6" y="6" width="88" height="148" rx="6" fill="url(#card-lattice)"/>
  <rect x="10" y="10" width="80" height="140" rx="4" fill="none" stroke="#e9c877" stroke-width="1.5"/>
  <circle cx="50" cy="80" r="25" fill="#fdf8ea" stroke="#e9c877" stroke-width="3"/>
  ${place('sparrow', 50, 80, 38)}`;

const symbol = (id, width, height, art) =>
  `<symbol id="${id}" viewBox="0 0 ${width} ${height}">${art}</symbol>`;

/** Puts the sprite into the page; must run before any card is shown. */
export function installCards(page = document) {
  const pips = Object.entries(SHAPES).map(([name, art]) => symbol(`pip-${name}`, 100, 100, art));
  const faces = SUITS.flatMap((s) =>
    RANKS.map((r) => symbol(`card-${s}${r}`, 100, 160, face(s, r))),
  );
  const holder = page.createElement('div');
  holder.className = 'sprite';
  holder.setAttribute('aria-hidden', 'true');
  holder.innerHTML = `<svg width="0" height="0"><defs>
    <clipPath id="card-inside"><rect x="6" y="6" width="88" height="148" rx="5"/></clipPath>
    <pattern id="card-lattice" width="12" height="12" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
      <path d="M0 0h12M0 0v12" stroke="#e9c877" stroke-width="1.4" opacity=".55"/><circle cx="6" cy="6" r="1.6" fill="#e9c877" opacity=".7"/>
    </pattern></defs>${pips.join('')}${faces.join('')}${symbol('card-back', 100, 160, back)}</svg>`;
  page.body.prepend(holder);
}

function drawing(href, viewBox, className) {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('viewBox', viewBox);
  svg.setAttribute('class', className);
  svg.setAttribute('aria-hidden', 'true');
  const use = document.createElementNS('http://www.w3.org/2000/svg', 'use');
  use.setAttribute('href', href);
  svg.append(use);
  return svg;
}

export const cardArt = (card) => drawing(`#card-${card}`, '0 0 100 160', 'card-art');
export const cardBack = () => drawing('#card-back', '0 0 100 160', 'card-art');
export const pipArt = (name) => drawing(`#pip-${name}`, '0 0 100 100', 'pip-art');
