// King, Ober and Unter: half figures built from a few shared parts, dressed in the suit's
// colours. A figure stands in the 100 x 160 card box, its feet cut by the card's inner frame.

const DRESS = {
  E: { coat: '#7b4a1e', trim: '#d9a441', sash: '#5f6b2a', hair: '#5b3810', feather: '#5f6b2a' },
  G: { coat: '#2f6b3a', trim: '#e8d9a0', sash: '#a33c2c', hair: '#8a5a2a', feather: '#c9252d' },
  H: { coat: '#a61f2b', trim: '#efc75e', sash: '#2d4f7c', hair: '#3b2616', feather: '#f4ead2' },
  S: { coat: '#2d4f7c', trim: '#efb631', sash: '#c9252d', hair: '#a8702c', feather: '#efb631' },
};
const SKIN = '#f2cfa4';
const INK = '#3a2415';
const line = `stroke="${INK}" stroke-width="1.6" stroke-linejoin="round" stroke-linecap="round"`;

const head = (hair) => `
  <path d="M37 66c-4-22 30-22 26 0l2 12c-6 5-24 5-30 0z" fill="${hair}" ${line}/>
  <path d="M45 78h10v13c-3 4-7 4-10 0z" fill="${SKIN}" ${line}/>
  <ellipse cx="50" cy="68" rx="11.5" ry="14" fill="${SKIN}" ${line}/>
  <path d="M43.5 64h3M53.5 64h3" stroke="${INK}" stroke-width="2.2" stroke-linecap="round"/>
  <path d="M50 66v5l-2 1" fill="none" ${line}/>
  <circle cx="42.5" cy="72" r="2" fill="#e79c80" opacity=".7"/><circle cx="57.5" cy="72" r="2" fill="#e79c80" opacity=".7"/>`;

const torso = ({ coat, trim }) => `
  <path d="M20 148c-1-30 3-48 22-55l8 5 8-5c19 7 23 25 22 55z" fill="${coat}" ${line}/>
  <path d="M46 97h8v51h-8z" fill="${trim}" ${line}/>
  <path d="M30 148c0-12 0-20 2-29M70 148c0-12 0-20-2-29" fill="none" ${line}/>
  <g fill="${INK}"><circle cx="50" cy="106" r="1.5"/><circle cx="50" cy="115" r="1.5"/><circle cx="50" cy="135" r="1.5"/></g>`;

const belt = (colour) =>
  `<path d="M31 121h38v8H31z" fill="${colour}" ${line}/><path d="M46 120h8v10h-8z" fill="#efc75e" ${line}/>`;

const king = (d) => `
  ${torso(d)}${belt(d.sash)}
  <path d="M24 112c2-12 9-18 18-20l8 8 8-8c9 2 16 8 18 20-8-4-14-5-18-4l-8 7-8-7c-4-1-10 0-18 4z" fill="#fbf5e6" ${line}/>
  <g fill="${INK}"><circle cx="33" cy="104" r="1.3"/><circle cx="41" cy="99" r="1.3"/><circle cx="59" cy="99" r="1.3"/><circle cx="67" cy="104" r="1.3"/></g>
  ${head(d.hair)}
  <path d="M38.5 70c0 22 7 29 11.5 32 4.5-3 11.5-10 11.5-32-3 4-7 4-11.5 4s-8.5 0-11.5-4z" fill="${d.hair}" ${line}/>
  <path d="M46.5 77.500c2 1.5 5 1.5 7 0" fill="none" stroke="#f2cfa4" stroke-width="1.8" stroke-linecap="round"/>
  <path d="M34 56 30 34l10 9 10-14 10 14 10-9-4 22c-9 4-23 4-32 0z" fill="#efb631" ${line}/>
  <path d="M34.5 52c9 4 22 4 31 0" fill="none" stroke="#a61f2b" stroke-width="3"/>
  <circle cx="50" cy="29" r="2.6" fill="#a61f2b" ${line}/>
  <path d="M80 84v62" stroke="#efb631" stroke-width="4"/><path d="M78 84v62M82 84v62" ${line}/>
  <circle cx="80" cy="80" r="5.5" fill="#efb631" ${line}/><circle cx="80" cy="128" r="5.5" fill="${SKIN}" ${line}/>`;

const ober = (d) => `
  ${torso(d)}${belt(d.trim)}
  <path d="M33 97 69 140l-5 8L27 104z" fill="${d.sash}" ${line}/>
  <path d="M34 98c4 6 28 6 32 0l-6-7c-4 3-16 3-20 0z" fill="#fbf5e6" ${line}/>
  ${head(d.hair)}
  <path d="M50 75c-4-3-9-1-13 2 5 3 10 2 13 0 3 2 8 3 13 0-4-3-9-5-13-2z" fill="${d.hair}" ${line}/>
  <path d="M27 57c6-5 40-8 47-2-4 6-42 9-47 2z" fill="${d.coat}" ${line}/>
  <path d="M37 53c-1-14 5-20 14-20s14 6 13 18c-6 4-20 5-27 2z" fill="${d.coat}" ${line}/>
  <path d="M37 51c8 2 19 2 27-2v-5c-8 3-19 4-27 2z" fill="${d.trim}" ${line}/>
  <path d="M41 45C31 42 25 33 28 21c9 2 14 9 15 22z" fill="${d.feather}" ${line}/><path d="M41 42c-4-5-7-10-10-15" fill="none" ${line}/>
  <path d="M20 98v50" stroke="#9aa3ab" stroke-width="4"/><path d="M18 98v50M22 98v50" ${line}/>
  <path d="M12 112h16" stroke="#efb631" stroke-width="4" stroke-linecap="round"/><circle cx="20" cy="94" r="4" fill="#efb631" ${line}/>`;

const unter = (d) => `
  ${torso(d)}
  <path d="M32 97c5 8 31 8 36 0l-8-6c-4 4-16 4-20 0z" fill="${d.trim}" ${line}/>
  ${head(d.hair)}
  <path d="M46 76.500c2 2 6 2 8 0" fill="none" stroke="#a33c2c" stroke-width="2" stroke-linecap="round"/>
  <path d="M34 58c-4-12 6-19 17-19s19 5 16 15c-10-2-22-1-33 4z" fill="${d.sash}" ${line}/>
  <path d="M34 59c9-6 24-7 33-4v-5c-10-3-25-2-34 4z" fill="${d.trim}" ${line}/>
  <path d="M60 42c8-3 13-9 13-17-8 1-13 6-15 15z" fill="${d.feather}" ${line}/>
  <path d="M80 66v82" stroke="#8a5a2a" stroke-width="4"/><path d="M78 66v82M82 66v82" ${line}/>
  <path d="M80 46c5 7 6 13 3 20h-6c-3-7-2-13 3-20z" fill="#c9d0d6" ${line}/>
  <path d="M82 68c9-2 12 4 11 11-5-3-8-3-11-2z" fill="#c9d0d6" ${line}/>
  <circle cx="80" cy="118" r="5.5" fill="${SKIN}" ${line}/><path d="M68 108c4 4 7 6 9 8" fill="none" stroke="${d.coat}" stroke-width="7" stroke-linecap="round"/>`;

const FIGURES = { K: king, O: ober, U: unter };

export const figure = (suit, rank) => FIGURES[rank](DRESS[suit]);
