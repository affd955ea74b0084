// Plays Spatz in a real browser against a running server: a deal on a phone with a reload in the
// middle, a short match of each game, the rules to read, two friends who meet by invite code,
// queues and parties, a ranked match and what follows from it.
//
//   SPATZ_URL=http://127.0.0.1:8080 SPATZ_SHOTS=target/shots node play.mjs
//
// scripts/browser-test starts the server that this needs: with the queues of queues.json, and
// SPATZ_BIN and SPATZ_DATA to close a season with.//
// Only conditions of the page are waited for. Exit code 0 means that everything passed.

import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { launch, visitor } from './browser.mjs';
import { GAMES, playGame } from './games.mjs';
import { assertFits, assertLooks } from './looks.mjs';
import { at, nextDemand, playUntil, signIn } from './player.mjs';
import { ladderScenarios } from './ladder.mjs';
import { queueScenarios } from './queue.mjs';

const base = process.env.SPATZ_URL?.replace(/\/$/, '');
const shots =
  process.env.SPATZ_SHOTS ?? fileURLToPath(new URL('../../target/browser', import.meta.url));
assert.ok(base, 'set SPATZ_URL to the address of a running server');

const shoot = (page, name, how = {}) =>
  page.screenshot({ path: path.join(shots, `${name}.png`), ...how });

/** Takes a screenshot the first time each of `names` comes along. */
function album(page, size) {
  const taken = new Set();
  return async (name, isReady = async () => true) => {
    if (taken.has(name) || !(await isReady())) return;
    taken.add(name);
    await shoot(page, `${size}-${name}`);
  };
}

const SHOT_OF = { bid: 'auction', discard: 'exchange', play: 'table' };

/** The picture that belongs to a demand; of the table only once cards lie on it. */
async function takeShotOf(page, demand, photo, prefix = '') {
  const cardsLie = async () => (await page.locator('.laid').count()) > 1;
  await photo(prefix + (SHOT_OF[demand] ?? demand), demand === 'play' ? cardsLie : undefined);
}

async function sitDownWithBots(page, size) {
  await signIn(page, base, `Toni ${size}`);
  assert.equal(await page.textContent(at('my-name')), `Toni ${size}`);
  await assertLooks(page);
  await shoot(page, `${size}-lobby`);
  await page.click(at('help-open'));
  await page.waitForSelector('#help[open]');
  await shoot(page, `${size}-help`);
  await page.keyboard.press('Escape');
  await page.click(at('play-bots'));
}

const cardsInHand = (page) =>
  page.$$eval('.hand .card', (cards) => cards.map((card) => card.dataset.card));

async function reloadAndCompare(page) {
  const before = await cardsInHand(page);
  await page.reload();
  assert.equal(await nextDemand(page), 'play');
  assert.deepEqual(await cardsInHand(page), before, 'a reload shows the same hand');
}

async function dealOnPhone({ page }) {
  const photo = album(page, 'phone');
  await sitDownWithBots(page, 'phone');
  let plays = 0;
  const on = async (demand) => {
    await takeShotOf(page, demand, photo);
    if (demand === 'play') plays += 1;
    if (plays === 3) {
      await page.click(at('last-trick'));
      await page.waitForSelector('#sheet[open] .last-trick');
      await photo('last-trick');
      await page.keyboard.press('Escape');
      await reloadAndCompare(page);
    }
  };
  await playUntil(page, { deals: 1, on });
  await page.click(at('score-open'));
  const line = page.locator(`#sheet ${at('score-1')}`);
  await line.locator('summary').click();
  assert.match(await line.textContent(), /made|lost/, 'the first deal had a declarer');
  assert.equal(await line.locator('.totals td').count(), 4);
  await photo('score');
}

/** A scenario for each game. The seeds are arbitrary; they make the choices repeatable. */
const matches = Object.entries(GAMES).map(([game, { size }], index) => [
  `a match of ${game}`,
  [size],
  async ({ page }) => {
    await signIn(page, base, 'Toni');
    const photo = album(page, size);
    const prefix = index === 0 ? '' : `${game}-`;
    await playGame(page, game, 1000 + index, (name) => takeShotOf(page, name, photo, prefix));
  },
]);

async function rulesToRead({ page }) {
  await signIn(page, base, 'Toni');
  for (const game of Object.keys(GAMES)) {
    await page.check(`${at(`game-${game}`)} input`);
    await page.waitForSelector(`${at('rules-en')}[href="/rules/en/${game}"]`);
  }
  await page.goto(`${base}${await page.getAttribute(at('rules-en'), 'href')}`);
  await page.waitForSelector('main.rules h1');
  await assertFits(page);
  await shoot(page, 'phone-rules');
  await page.click('nav .language a');
  await page.waitForSelector('html[lang="de"] main.rules h1');
  await assertFits(page);
}

async function friendsMeet(host, guest) {
  await signIn(host.page, base, 'Anna');
  await signIn(guest.page, base, 'Ben');
  await host.page.click(`${at('create-details')} summary`);
  await host.page.check(`${at('create-details')} input[name="bots"][value="2"]`);
  await host.page.click(at('create-table'));
  const code = await host.page.textContent(at('invite-code'));
  await shoot(host.page, 'phone-invite');
  await guest.page.fill(at('join-code'), code.toLowerCase());
  await guest.page.click(at('join'));
  for (const [{ page }, friend] of [
    [host, 'Ben'],
    [guest, 'Anna'],
  ]) {
    await page.waitForSelector('#table[data-phase="auction"]');
    await page.waitForSelector(`.opponents .seat-name:text-is("${friend}")`);
    await page.waitForFunction(() => document.querySelectorAll('.hand .card').length === 8);
  }
  await shoot(guest.page, 'desktop-friends');
  await host.page.click(at('menu'));
  await host.page.click(at('leave'));
  await host.page.click(at('leave-confirm'));
  await host.page.waitForSelector(at('play-bots'));
  await guest.page.waitForSelector('.opponents .badge.away');
}

/** Each scenario: its name, the sizes of its visitors, what they do. */
const SCENARIOS = [
  ['a deal on a phone, with a reload in the middle', ['phone'], dealOnPhone],
  ...matches,
  ['the rules to read', ['phone'], rulesToRead],
  ['two friends meet by invite code', ['phone', 'desktop'], friendsMeet],
  ...queueScenarios(base, shoot),
  ...ladderScenarios(base, shoot),
];

async function run(browser, [name, sizes, scenario]) {
  const visitors = await Promise.all(sizes.map((size) => visitor(browser, size)));
  const started = performance.now();
  try {
    await scenario(...visitors);
    assert.deepEqual(
      visitors.flatMap(({ problems }) => problems),
      [],
      'the page reported problems',
    );
    console.log(`ok      ${name} (${((performance.now() - started) / 1000).toFixed(1)} s)`);
    return true;
  } catch (error) {
    await Promise.all(visitors.map(({ page }, index) => shoot(page, `failure-${sizes[index]}`)));
    console.log(
      `FAILED  ${name}\n${error.stack}\n${visitors.flatMap(({ problems }) => problems).join('\n')}`,
    );
    return false;
  } finally {
    await Promise.all(visitors.map((each) => each.close()));
  }
}

/** A move mostly waits for answers, so a few scenarios at a time are faster than one. */
const AT_A_TIME = 3;

async function runAll(browser) {
  const waiting = [...SCENARIOS];
  let failed = 0;
  const work = async () => {
    while (waiting.length) if (!(await run(browser, waiting.shift()))) failed += 1;
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, work));
  return failed;
}

await mkdir(shots, { recursive: true });
const browser = await launch();
const failed = await runAll(browser);
await browser.close();
console.log(`${SCENARIOS.length - failed} passed, ${failed} failed`);
process.exitCode = failed ? 1 : 0;
