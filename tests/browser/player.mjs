// What a person does with the page: sign in, choose a game, bid, name trump, double, lay off, play.
// Everything waits for the page to offer it. `pick` chooses one of several offers.

const at = (name) => `[data-testid="${name}"]`;

/** The left edge of a card is the part that the next card in the fan leaves free. */
const LEFT_EDGE = { x: 9, y: 40 };

export const lowest = (offers) => offers[0];

export async function signIn(page, base, name) {
  await page.goto(`${base}/?bot_seconds=0&pause_seconds=0`);
  await page.fill(at('name'), name);
  await page.click(at('sign-in'));
  await page.waitForSelector(at('play-bots'));
}

/** Chooses a game, and one round of it, in the form for a table with bots. */
export async function chooseGame(page, game) {
  await page.check(`${at(`game-${game}`)} input`);
  const panel = page.locator(at('bots-panel'));
  await panel.locator('[name="option.length.kind"][value="rounds"]').check();
  await panel.locator('[name="option.length.n"]').fill('1');
  return panel;
}

/** What each demand shows. The order counts: the first that is there is the demand. */
const SIGNS = {
  finish: '[data-testid="finish"]',
  scored: null,
  bid: '[data-testid="bids"]',
  trump: '[data-testid="trumps"]',
  double: '[data-testid="doubling"]',
  discard: '[data-testid="exchange"]',
  play: '#table[data-phase="play"] .hand .usable',
};

/**
 * What the page wants now: a name of SIGNS; 'scored' after `deals` deals. With `after`, not before
 * the page shows a later version of the table than that.
 */
export async function nextDemand(page, { deals = Infinity, after = -1 } = {}) {
  const signs = { ...SIGNS, scored: `#score-side [data-testid="score-${deals}"]` };
  const look = ([wanted, seen]) => {
    const has = (selector) => document.querySelector(selector) !== null;
    if (Number(document.querySelector('#table').dataset.version) <= seen) return false;
    const [demand] = Object.entries(wanted).find(([, sign]) => has(sign)) ?? [false];
    const settled = ['finish', 'scored'].includes(demand) || !has('#table[data-sending]');
    return settled && demand;
  };
  const handle = await page.waitForFunction(look, [signs, after], { polling: 40 });
  return handle.jsonValue();
}

const versionOf = async (page) => Number(await page.getAttribute('#table', 'data-version'));

/** The trick that was just completed may cover an offer for a moment: then it comes back. */
async function testIds(page, selector) {
  await page.waitForSelector(selector);
  return page.$$eval(selector, (buttons) => buttons.map((button) => button.dataset.testid));
}

/** One of the offers: an answer, a contract, or a level of a ladder, which takes more taps. */
async function bid(page, pick) {
  const panel = at('bids');
  const offers = await testIds(page, `${panel} :is(.bid, .tab)`);
  const isPass = (offer) => offer === 'bid-pass';
  // Passing comes last, so that whoever takes the lowest offer bids.
  const offer = pick([...offers.filter((each) => !isPass(each)), ...offers.filter(isPass)]);
  if (!offer.startsWith('ladder-')) {
    await page.click(at(offer));
    return;
  }
  await page.click(at(offer));
  if (await page.locator(`${panel} .chip`).count())
    await page.click(at(pick(await testIds(page, `${panel} .chip`))));
  await page.click(at('bid-confirm'));
}

async function press(page, selector, pick) {
  await page.click(at(pick(await testIds(page, selector))));
}

const cardsOf = (page, selector) =>
  page.$$eval(selector, (cards) => cards.map((card) => card.dataset.card));

/** Chooses as many cards as the page asks for, then lays them off. */
async function discard(page, pick, look) {
  const button = page.locator(at('discard'));
  const choose = (card) => page.locator(at(`card-${card}`)).click({ position: LEFT_EDGE });
  const wanted = Number(/\d+/.exec(await button.textContent())[0]);
  for (let chosen = 0; chosen < wanted; chosen += 1) {
    await choose(pick(await cardsOf(page, '.card.usable:not(.chosen)')));
  }
  // Where aces need trumps beside them, the page says so: then other cards than aces go.
  while (await button.isDisabled()) {
    await page.waitForSelector('.exchange .warning');
    await look('warning');
    await choose((await cardsOf(page, '.card.chosen')).find((card) => card[1] === 'A'));
    const others = await cardsOf(page, '.card.usable:not(.chosen)');
    await choose(pick(others.filter((card) => card[1] !== 'A')));
  }
  await button.click();
}

/** Every second card by the keyboard. */
async function playCard(page, pick, byKeyboard) {
  const card = page.locator(at(`card-${pick(await cardsOf(page, '.hand .usable'))}`));
  if (byKeyboard) await card.press('Enter');
  else await card.click({ position: LEFT_EDGE });
}

/** Plays until `deals` deals are scored or the match is over; `on` sees each demand first. */
export async function playUntil(page, { deals, pick = lowest, on = async () => {} }) {
  let after = -1;
  for (let moves = 0; ; moves += 1) {
    const demand = await nextDemand(page, { deals, after });
    if (demand === 'scored' || demand === 'finish') return demand;
    await on(demand);
    after = await versionOf(page);
    if (demand === 'bid') await bid(page, pick);
    else if (demand === 'trump') await press(page, `${at('trumps')} button`, pick);
    else if (demand === 'double') await press(page, `${at('doubling')} button`, pick);
    else if (demand === 'discard') await discard(page, pick, on);
    else await playCard(page, pick, moves % 2 === 1);
  }
}

export { at };
