// Links to the rules of a game, in both languages. They open beside the game, which goes on.

import { h } from './dom.js';

const LANGUAGES = [
  ['en', 'English'],
  ['de', 'Deutsch'],
];

export const rulesLinks = (game) =>
  h(
    'p',
    { class: 'rules-links' },
    'Rules: ',
    LANGUAGES.flatMap(([language, name], index) => [
      index ? ' · ' : null,
      h(
        'a',
        {
          href: `/rules/${language}/${game}`,
          target: '_blank',
          rel: 'noopener',
          hreflang: language,
          lang: language,
          'data-testid': `rules-${language}`,
        },
        name,
      ),
    ]),
  );
