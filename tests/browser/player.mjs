// What a person does with the page: sign in, sit down, bid, lay off, play. Everything waits for
// the page to offer it.

const at = (name) => `[data-testid="${name}"]`;

/** The left edge of a card is the part that the next card in the fan leaves free. */
const LEFT_EDGE = { x: 9, y: 40 };

export async function signIn(page, base, name) {
  await page.goto(`${base}/?bot_seconds=0&pause_seconds=0`);
  await page.fill(at('name'), name);
  await page.click(at('sign-in'));
  await page.waitForSelector(at('play-bots'));
}

/** What the page wants now: 'bid', 'discard', 'play', 'finish', or 'scored' after `deals` deals. */
export async function nextDemand(page, deals = Infinity) {
  const handle = await page.waitForFunction((wanted) => {
    const has = (selector) => document.querySelector(selector) !== null;
    if (has('[data-testid="finish"]')) return 'finish';
    if (has(`#score-side [data-testid="score-${wanted}"]`)) return 'scored';
    if (has('#table[data-sending]')) return false;
    if (has('[data-testid="bids"]')) return 'bid';
    if (has('[data-testid="exchange"]')) return 'discard';
    return has('#table[data-phase="play"] .hand .usable') ? 'play' : false;
  }, deals);
  return handle.jsonValue();
}

/** Sends a move by `press` and waits until the page shows a later version of the table. */
async function move(page, press) {
  const before = await page.getAttribute('#table', 'data-version');
  await press();
  await page.waitForFunction(
    (version) => Number(document.querySelector('#table').dataset.version) > version,
    Number(before),
  );
}

/** The lowest bid on offer, or pass. */
export async function bid(page, eager) {
  const offers = await page.$$eval('[data-testid^="bid-"]', (buttons) =>
    buttons.map((button) => button.dataset.testid),
  );
  const lowest = offers.find((offer) => offer !== 'bid-pass');
  await move(page, () => page.click(at(eager && lowest ? lowest : 'bid-pass')));
}

/** Chooses as many cards as the page asks for, then lays them off. */
export async function discard(page, look = async () => {}) {
  const button = page.locator(at('discard'));
  for (let index = 0; await button.isDisabled(); index += 1) {
    await page.locator('.hand .usable').nth(index).click({ position: LEFT_EDGE });
  }
  await look();
  await move(page, () => button.click());
}

export async function playCard(page, { byKeyboard = false } = {}) {
  const card = page.locator('.hand .usable').first();
  await move(page, async () => {
    if (byKeyboard) {
      await card.focus();
      await page.keyboard.press('Enter');
    } else {
      await card.click({ position: LEFT_EDGE });
    }
  });
}

/** Plays until `deals` deals are scored or the match is over; `on` sees each demand first. */
export async function playUntil(page, deals, on = async () => {}) {
  const cardKeys = { byKeyboard: false };
  let bidInDeal = null;
  for (;;) {
    const demand = await nextDemand(page, deals);
    if (demand === 'scored' || demand === 'finish') return demand;
    await on(demand);
    if (demand === 'bid') {
      const deal = await page.textContent('.head-text b');
      await bid(page, deal !== bidInDeal);
      bidInDeal = deal;
    } else if (demand === 'discard') {
      await discard(page);
    } else {
      await playCard(page, cardKeys);
      cardKeys.byKeyboard = !cardKeys.byKeyboard;
    }
  }
}

export { at };
