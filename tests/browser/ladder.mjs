// A ranked match and what follows from it: why it was made, ratings, ladders, blocks.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Companion } from './api.mjs';
import { assertLooks } from './looks.mjs';
import { standInLadder } from './mock-ladder.mjs';
import { at, playUntil, signIn } from './player.mjs';

/** A picture of all of the page, not only of what is in sight. */
const WHOLE = { fullPage: true };
const QUEUE = 'ranked-brixental-3';
const names = (page, selector) => page.locator(selector).allTextContents();

/** A season whose standings stand still: three play a match, then it is closed. */
async function closedSeason(base, players) {
  const tickets = [];
  for (const player of players) tickets.push(await player.queue(QUEUE));
  const table = await players[0].tableOf(tickets[0]);
  const play = (player, index) => player.playToTheEnd(table, { bids: index === 0 ? 1 : 0 });
  await Promise.all(players.map(play));
  const { SPATZ_BIN: spatz, SPATZ_DATA: data } = process.env;
  const close = ['season', '--data', data, 'close', 'brixental', '--next'];
  // As the server lists players: the command decides who is on the final standings.
  const env = { ...process.env, SPATZ_LISTED_AFTER_MATCHES: '1' };
  await promisify(execFile)(spatz, close, { env });
}

/** Passing is the last offer: so only the companion bids, once. */
const passing = (offers) => offers.at(-1);

async function playRanked(page, shoot, companions) {
  await page.click(at(`queue-${QUEUE}`));
  await page.waitForSelector(at('waiting'));
  for (const companion of companions) companion.ticket = await companion.queue(QUEUE);
  const table = await companions[0].tableOf(companions[0].ticket);
  const others = companions.map((one, index) => one.playToTheEnd(table, { bids: 1 - index }));
  assert.equal(await playUntil(page, { pick: passing }), 'finish');
  await Promise.all(others);
  await page.waitForSelector(at('rating'));
  await assertLooks(page);
  await shoot(page, 'phone-ranked-finish');
}

/** From the end of the match to why it was made, and to the page of another player. */
async function readPairing(page, shoot, other) {
  await page.click(at('why-paired'));
  const rows = page.locator(at('paired-player'));
  await rows.first().waitFor();
  assert.equal(await rows.count(), 3);
  assert.match(await rows.first().textContent(), /rating \d+ · waited \d+ s/);
  await assertLooks(page);
  await shoot(page, 'phone-pairing');
  await rows.locator(`a:text-is("${other}")`).click();
  await page.waitForSelector(`h2:text-is("${other}")`);
}

async function blockFromProfile(page, shoot) {
  await page.click(at('block'));
  await page.waitForSelector(`${at('block')}:text-is("Unblock")`);
  await assertLooks(page);
  await shoot(page, 'phone-player', WHOLE);
}

/** The own page tells the change that the match made, and whom one blocks. */
async function readOwnProfile(page, shoot, blocked) {
  await page.click(at('back-home'));
  await page.click(at('to-profile'));
  const changes = page.locator(at('rating-change'));
  await changes.first().waitFor();
  assert.equal(await changes.count(), 1);
  assert.match(await changes.textContent(), /of 3, against \d+, \d+: expected [\d.]+ wins/);
  assert.deepEqual(await names(page, `${at('blocks')} a`), [blocked]);
  await assertLooks(page);
  await shoot(page, 'phone-profile', WHOLE);
  await changes.locator(at('why-paired')).click();
  await page.waitForSelector(`#sheet ${at('paired-player')}`);
  await page.keyboard.press('Escape');
  await page.click(at('unblock'));
  await page.waitForSelector(`${at('no-blocks')}:focus`);
}

const listed = (page) => names(page, `${at('standings')} .who a`);

/** The season that runs, the player's neighbours in it, and the one before. */
async function readLadder(page, shoot, name) {
  await page.click(at('back-home'));
  await page.click(at('to-ladders'));
  await page.waitForSelector(`${at('own-standing')} .tier-name`);
  await page.waitForSelector(`${at('standings')} .mine`);
  assert.equal((await listed(page)).length, 3);
  await assertLooks(page);
  await shoot(page, 'phone-ladder', WHOLE);
  await page.check('[name="view"][value="around"]');
  await page.waitForSelector(`${at('standings')} .mine:has-text("${name}")`);
  const seasons = page.locator(at('select-season'));
  assert.match((await seasons.locator('option').allTextContents())[1], /^Season \d+, ended/);
  await seasons.selectOption({ index: 1 });
  await page.waitForSelector(`${at('own-panel')}:has-text("played no ranked match")`);
  await page.waitForSelector(`${at('standings')}:not(:has(.mine))`);
  assert.equal((await listed(page)).length, 3);
  await page.reload();
  const kept = `${at('select-season')} option:checked:has-text("ended")`;
  await page.waitForSelector(kept, { state: 'attached' });
}

const rankedMatch =
  (base, shoot) =>
  async ({ page }) => {
    const signedIn = ['Anna', 'Ben', 'Carla'].map((name) => Companion.signIn(base, name));
    const players = await Promise.all(signedIn);
    await closedSeason(base, players);
    await signIn(page, base, 'Toni');
    await playRanked(page, shoot, players.slice(0, 2));
    await readPairing(page, shoot, 'Anna');
    await blockFromProfile(page, shoot);
    await readOwnProfile(page, shoot, 'Anna');
    await readLadder(page, shoot, 'Toni');
  };

/** A long ladder, with names as long and as wicked as they may be, and a server that fails once. */
const longLadder = (base, shoot) =>
  async function look(...visitors) {
    for (const [index, { page, failing }] of visitors.entries()) {
      const size = ['phone', 'desktop'][index];
      await signIn(page, base, 'Toni');
      const ladder = await standInLadder(page, failing);
      await page.click(at('to-ladders'));
      await page.waitForSelector('h2:text-is("Ladders"):focus');
      await page.waitForSelector(at('tier-progress'));
      assert.equal((await listed(page)).length, ladder.pageSize);
      assert.ok((await listed(page)).includes(ladder.wickedName), 'names are text');
      await assertLooks(page);
      await shoot(page, `${size}-ladder-long`, WHOLE);
      await page.click(at('more'));
      await page.waitForSelector(`${at('standings-panel')} ${at('failure')}`);
      await assertLooks(page);
      await page.click(at('try-again'));
      await page.waitForSelector(`tr:focus[data-player="${ladder.idAt(ladder.pageSize)}"]`);
      await page.click(at('more'));
      await page.waitForSelector(`tr:nth-child(${ladder.size})`);
      assert.equal((await listed(page)).length, ladder.size);
      assert.equal(await page.locator(at('more')).count(), 0, 'that was all');
      await page.click(at('own-history'));
      await page.waitForSelector(at('rating-change'));
      await assertLooks(page);
      await shoot(page, `${size}-history-long`, WHOLE);
      await page.goBack();
      await page.waitForSelector(at('ladder-page'));
    }
  };

/** A server that fails is told in words, and asked again on demand. */
const failingLadders =
  (base, shoot) =>
  async ({ page, failing }) => {
    await signIn(page, base, 'Toni');
    failing.push('/v1/ladders');
    await page.route('**/v1/ladders', (route) => route.fulfill({ status: 500, json: {} }));
    await page.click(at('to-ladders'));
    await page.waitForSelector(`${at('failure')}:has-text("Something went wrong")`);
    await assertLooks(page);
    await shoot(page, 'phone-ladder-failed');
    await page.unroute('**/v1/ladders');
    await page.route('**/v1/ladders', (route) => route.fulfill({ json: { ladders: [] } }));
    await page.click(at('try-again'));
    await page.waitForSelector(at('no-ladders'));
    await shoot(page, 'phone-ladder-none');
  };

export const ladderScenarios = (base, shoot) => [
  ['a ranked match and what follows', ['phone'], rankedMatch(base, shoot)],
  ['a long ladder', ['phone', 'desktop'], longLadder(base, shoot)],
  ['ladders that fail or are not there', ['phone'], failingLadders(base, shoot)],
];
