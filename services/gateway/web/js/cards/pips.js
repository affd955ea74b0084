// The four German suits, the sparrow and the pot, drawn once as vector shapes. Each pip fills a 100 x 100
// box, so that a card face can place it at any size.

const outline = (colour) =>
  `stroke="${colour}" stroke-width="4" stroke-linejoin="round" stroke-linecap="round"`;

const heart = `
  <path d="M50 93C22 70 5 53 5 32 5 17 16 8 28 8c10 0 18 6 22 16C54 14 62 8 72 8c12 0 23 9 23 24 0 21-17 38-45 61z"
        fill="#c9252d" ${outline('#7c1018')}/>
  <path d="M18 33c0-9 5-14 12-14" fill="none" stroke="#f0908f" stroke-width="6" stroke-linecap="round"/>`;

const leaf = `
  <path d="M50 62C50 78 50 86 46 97" fill="none" stroke="#1d4a24" stroke-width="7" stroke-linecap="round"/>
  <path d="M50 3c7 17 42 29 42 54 0 15-11 22-22 21-9-1-16-6-20-12-4 6-11 11-20 12C19 79 8 72 8 57 8 32 43 20 50 3z"
        fill="#438a3c" ${outline('#1d4a24')}/>
  <path d="M50 24v38M50 56 30 44M50 56l20-12M50 42 38 34M50 42l12-8" fill="none" stroke="#a9d48f"
        stroke-width="3.5" stroke-linecap="round"/>`;

const acorn = `
  <path d="M50 18C49 11 53 5 61 3" fill="none" stroke="#4a3210" stroke-width="7" stroke-linecap="round"/>
  <path d="M21 44c0 30 14 44 25 50l4 4 4-4c11-6 25-20 25-50z" fill="#c98a3a" ${outline('#5b3810')}/>
  <path d="M33 56c1 12 5 20 10 26" fill="none" stroke="#f0c98a" stroke-width="6" stroke-linecap="round"/>
  <path d="M11 45c-1-20 17-30 39-30s40 10 39 30c-11 7-67 7-78 0z" fill="#6d7430" ${outline('#3b3d14')}/>
  <path d="M26 23l20 26M42 17l26 32M60 17 30 49M76 24 52 49M82 33l8 9M18 33l-6 8" fill="none"
        stroke="#3b3d14" stroke-width="2.5" opacity=".7"/>`;

const bell = `
  <circle cx="50" cy="11" r="7" fill="none" stroke="#704a0a" stroke-width="5"/>
  <circle cx="50" cy="57" r="39" fill="#efb631" ${outline('#704a0a')}/>
  <path d="M12 50c12 8 64 8 76 0v11c-12 9-64 9-76 0z" fill="#c9252d" ${outline('#704a0a')}/>
  <path d="M50 72v19" stroke="#704a0a" stroke-width="6" stroke-linecap="round"/>
  <circle cx="50" cy="75" r="6" fill="#704a0a"/>
  <path d="M25 39c4-7 10-11 17-13" fill="none" stroke="#fdeaa8" stroke-width="6" stroke-linecap="round"/>`;

const sparrow = `
  <path d="M66 60 98 78l-5 8-40-10z" fill="#5d3f25"/>
  <path d="M14 40c-2-16 11-27 26-26 14 1 20 11 24 20 5 11 14 14 14 27 0 16-15 25-31 25-20 0-31-15-31-30 0-7-1-11-2-16z"
        fill="#d9c4a0" stroke="#4a3018" stroke-width="3"/>
  <path d="M17 30c3-11 12-17 23-16 12 1 19 9 23 18-8 4-14 2-19-4-8-5-18-4-27 2z" fill="#8a4b22"/>
  <path d="M36 54c10-10 26-12 37-6 10 6 18 17 22 28-14 4-32 4-44-3-9-5-14-11-15-19z"
        fill="#8f5a2f" stroke="#4a3018" stroke-width="3" stroke-linejoin="round"/>
  <path d="M46 58c12-5 24-2 34 8M48 66c10-2 20 1 28 6" fill="none" stroke="#e6cfa5" stroke-width="3" stroke-linecap="round"/>
  <path d="M15 42c2 9 7 16 15 18 3-7 1-14-5-19z" fill="#2f2118"/>
  <path d="M17 32 2 40l14 5c4-3 5-9 1-13z" fill="#3a3a3a"/>
  <circle cx="28" cy="31" r="4.5" fill="#1b1410"/><circle cx="26.6" cy="29.5" r="1.4" fill="#fff"/>
  <path d="M40 86v10M52 86v10M34 97h11M46 97h11" stroke="#7a4a2a" stroke-width="3.5" stroke-linecap="round"/>`;

/** The Haferl that holds the pot. */
const pot = `
  <path d="M74 38c22-6 26 28 1 28" fill="none" stroke="#33547a" stroke-width="8" stroke-linecap="round"/>
  <path d="M16 28h62c2 30-2 48-12 60-4 4-34 4-38 0C18 76 14 58 16 28z" fill="#e8eef5" ${outline('#33547a')}/>
  <ellipse cx="47" cy="28" rx="31" ry="9" fill="#7d5a2c" ${outline('#33547a')}/>
  <path d="M18 52c18 7 40 7 59 0M20 64c18 7 36 7 55 0" fill="none" stroke="#5d83b3" stroke-width="4"/>
  <g fill="#efb631" stroke="#704a0a" stroke-width="3"><circle cx="38" cy="24" r="8"/><circle cx="55" cy="25" r="8"/><circle cx="47" cy="17" r="8"/></g>`;

export const SHAPES = { E: acorn, G: leaf, H: heart, S: bell, sparrow, pot };

/** Places a shape's symbol as a square of `size`, centred on (x, y). */
export function place(shape, x, y, size, turned = false) {
  const turn = turned ? ` transform="rotate(180 ${x} ${y})"` : '';
  return `<use href="#pip-${shape}" x="${x - size / 2}" y="${y - size / 2}" width="${size}" height="${size}"${turn}/>`;
}
