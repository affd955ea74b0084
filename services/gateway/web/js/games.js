// The games that the server offers: /v1/rulesets, asked once.

import { getRulesets } from './api.js';

let asked = null;
let known = [];

export function loadGames() {
  asked ??= getRulesets().then(
    (games) => {
      known = games;
      return games;
    },
    (problem) => {
      asked = null;
      throw problem;
    },
  );
  return asked;
}

/** The game's name; until the list is here, its id. */
export const gameName = (id) => known.find((game) => game.id === id)?.name ?? id;
