// Waiting: one's place in the queue, and parties of friends, by code and by link.

import assert from 'node:assert/strict';
import { Companion } from './api.mjs';
import { assertLooks } from './looks.mjs';
import { at, signIn } from './player.mjs';

const placeIs = (page, words) => page.waitForSelector(`${at('wait-place')}:text-is("${words}")`);

/** Both wait in one queue; who cancels is home again, and the other one moves up. */
const twoWait = (base, shoot) => async (first, second) => {
  await signIn(first.page, base, 'Anna');
  await signIn(second.page, base, 'Ben');
  for (const [{ page }, place] of [
    [first, 1],
    [second, 2],
  ]) {
    await page.click(at('queue-ranked-brixental-4'));
    await placeIs(page, `Number ${place} in the queue`);
    await assertLooks(page);
  }
  await shoot(second.page, 'desktop-waiting');
  await first.page.reload();
  await placeIs(first.page, 'Number 1 in the queue');
  await shoot(first.page, 'phone-waiting');
  await first.page.click(at('cancel-ticket'));
  await first.page.waitForSelector(at('play-bots'));
  await placeIs(second.page, 'Number 1 in the queue');
  await second.page.click(at('cancel-ticket'));
  await second.page.waitForSelector(at('play-bots'));
};

async function openParty(page, size) {
  const panel = page.locator(at('party-details'));
  await panel.locator('summary').click();
  await panel.locator('[name="party-queue"][value="casual-brixental-3"]').check();
  const sizes = await panel.locator('[name="size"]').evaluateAll((all) => all.map((e) => e.value));
  assert.deepEqual(sizes, ['2', '3'], 'a party is no larger than its table');
  await panel.locator(`[name="size"][value="${size}"]`).check();
  await assertLooks(page);
  await page.click(at('party-open'));
  return page.textContent(at('party-invite'));
}

async function joinByCode(page, code) {
  const panel = page.locator(at('party-details'));
  await panel.locator('summary').click();
  await panel.locator('[name="party-queue"][value="casual-brixental-3"]').check();
  await page.fill(at('join-party-code'), 'ZZZZZZ');
  await page.click(at('join-party'));
  await page.waitForSelector('#toast:has-text("No party with this code")');
  await page.fill(at('join-party-code'), code.toLowerCase());
  await page.click(at('join-party'));
}

/** Three friends: one opens a party, one types its code, one follows the link. */
const partyMeets = (base, shoot) => async (host, guest) => {
  await signIn(host.page, base, 'Anna');
  await signIn(guest.page, base, 'Ben');
  const code = await openParty(host.page, 3);
  await placeIs(host.page, '1 of 3 of your party are here');
  await assertLooks(host.page);
  await shoot(host.page, 'phone-party');
  await joinByCode(guest.page, code);
  await placeIs(guest.page, '2 of 3 of your party are here');
  await placeIs(host.page, '2 of 3 of your party are here');
  await shoot(guest.page, 'desktop-party');
  const third = await Companion.signIn(base, 'Carla');
  await third.queue('casual-brixental-3', { code });
  for (const { page } of [host, guest]) {
    await page.waitForSelector('#table:not([hidden])');
    await page.waitForSelector('.opponents .seat-name:text-is("Carla")');
  }
};

/** The link opens the queue with the party; bots take the seats that are left. */
const partyByLink = (base) => async (guest) => {
  const host = await Companion.signIn(base, 'Anna');
  const queue = 'casual-brixental-3';
  const ticket = await host.queue(queue, { size: 2 });
  await signIn(guest.page, base, 'Ben');
  await guest.page.goto(`${base}/?party=${ticket.party.code}&queue=${queue}`);
  await guest.page.waitForSelector('.opponents .seat-name:text-is("Anna")');
  assert.equal(new URL(guest.page.url()).search, '', 'the link is used once');
};

/** As another device of the player would: so that the lobby has no ticket to go back to. */
const cancelBehindItsBack = (page) =>
  page.evaluate(async () => {
    const { access_token: token } = JSON.parse(localStorage.getItem('spatz.session'));
    const call = (method, path) =>
      fetch(path, { method, headers: { Authorization: `Bearer ${token}` } });
    const { ticket } = await (await call('GET', '/v1/me')).json();
    await call('DELETE', `/v1/tickets/${ticket.id}`);
  });

/** A server that tells more than a new one can: how long it may take, and that nobody came. */
const waitTold =
  (base, shoot) =>
  async ({ page }) => {
    await signIn(page, base, 'Anna');
    let told = { state: 'waiting', position: 3, expected_wait_seconds: 125 };
    const ticket = () => ({ party: null, reason: null, table_id: null, ...told });
    await page.route('**/v1/tickets/*', (route) =>
      route.request().method() === 'GET' ? route.fulfill({ json: ticket() }) : route.fallback(),
    );
    await page.route('**/v1/tickets/*/events', (route) => {
      const body = `data: ${JSON.stringify(ticket())}\n\n`;
      return route.fulfill({ contentType: 'text/event-stream', body });
    });
    await page.click(at('queue-ranked-brixental-4'));
    await placeIs(page, 'Number 3 in the queue');
    assert.equal(await page.textContent(at('wait-expected')), 'Expected wait: about 2 min');
    await page.waitForSelector('#announcer:text-is("Number 3 in the queue")', {
      state: 'attached',
    });
    await shoot(page, 'phone-waiting-told');
    await cancelBehindItsBack(page);
    told = { state: 'expired', reason: 'party_incomplete' };
    await page.waitForSelector('#toast:has-text("Your party was not complete in time")');
    await page.waitForSelector(at('play-bots'));
  };

export const queueScenarios = (base, shoot) => [
  ['two wait in a queue', ['phone', 'desktop'], twoWait(base, shoot)],
  ['a party of three', ['phone', 'desktop'], partyMeets(base, shoot)],
  ['how long it may take', ['phone'], waitTold(base, shoot)],
  ['a party by link', ['phone'], partyByLink(base)],
];
