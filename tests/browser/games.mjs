// A short match of each game, played to its end by a person who chooses at random among what the
// page offers.

import assert from 'node:assert/strict';
import { assertFits } from './looks.mjs';
import { at, chooseGame, playUntil } from './player.mjs';
import { chooser } from './random.mjs';

/** What each game shows at the end, and which options it is played with here. */
export const GAMES = {
  brixental: { size: 'desktop', players: 4, columns: ['score', 'paid'] },
  bauerntarock: { size: 'phone', players: 4, columns: ['score', 'paid'] },
  dobbm: { size: 'desktop', players: 4, columns: ['score'], prepare: dobbmOptions },
  bavarian: { size: 'phone', players: 3, columns: ['from pot', 'score'], pot: true },
  haferltarock: {
    size: 'desktop',
    players: 3,
    columns: ['from pot', 'score'],
    pot: true,
    prepare: payFromPot,
  },
};

/** An option without the one it needs is refused in words; with it the table opens. */
async function dobbmOptions(page, panel) {
  await panel.locator('summary').click();
  await panel.locator('[name="option.spatz_multiplied"]').check();
  await page.click(at('play-bots'));
  const refused = panel.locator(at('refused'));
  await refused.waitFor();
  assert.match(await refused.textContent(), /works only with “Spatz: on”/);
  await panel.locator('[name="option.spatz"]').check();
  await panel.locator('[name="option.doubling"]').check();
}

async function payFromPot(page, panel) {
  await panel.locator('summary').click();
  await panel.locator('[name="option.pay_from"][value="pot"]').check();
  await panel.locator('[name="option.stake"]').fill('5');
}

async function checkScoreSheet(page, { players, pot }) {
  await page.click(at('finish-score'));
  const sheet = page.locator(`#sheet ${at('score-table')}`);
  await sheet.waitFor();
  const lines = await sheet.locator('tbody').count();
  assert.ok(lines >= players, `${lines} deals in a round of ${players}`);
  const cells = await sheet.locator('tbody').first().locator('.totals td').count();
  assert.equal(cells, players + (pot ? 1 : 0));
  await page.keyboard.press('Escape');
}

export async function playGame(page, game, seed, photo) {
  const expected = GAMES[game];
  const panel = await chooseGame(page, game);
  await expected.prepare?.(page, panel);
  await assertFits(page);
  await photo('lobby');
  await page.click(at('play-bots'));
  const seen = new Set();
  const on = async (demand) => {
    if (!seen.has(demand)) await assertFits(page);
    seen.add(demand);
    await photo(demand);
  };
  assert.equal(await playUntil(page, { pick: chooser(seed), on }), 'finish');
  const finish = page.locator(at('finish'));
  assert.equal(await finish.locator('li').count(), expected.players);
  const columns = await finish.locator('.finish-columns span').allTextContents();
  assert.deepEqual(columns.filter(Boolean), expected.columns);
  await page.waitForSelector(`${at('seal')}[data-state]`);
  assert.equal(await page.getAttribute(at('seal'), 'data-state'), 'verified');
  await photo('finish');
  await checkScoreSheet(page, expected);
  await page.click(at('to-lobby'));
  await page.waitForSelector(at('play-bots'));
}
