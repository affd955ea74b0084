// What every page must be, whatever stands on it.

import assert from 'node:assert/strict';

/** No part of the page is wider than the screen. */
export async function assertFits(page) {
  const [content, screen] = await page.evaluate(() => [
    document.documentElement.scrollWidth,
    window.innerWidth,
  ]);
  assert.ok(content <= screen, `${content} px wide on a screen of ${screen}`);
}

/** CSS pixels: what a finger hits (WCAG 2.5.5). */
const FINGER = 44;

/** Everything that can be pressed is high enough for a finger. */
export async function assertTouchable(page) {
  const small = await page.evaluate((least) => {
    const root = document.querySelector('dialog[open]') ?? document.body;
    const found = [...root.querySelectorAll('a, button, select, summary, input')];
    return found
      .map((element) => element.closest('label') ?? element)
      .filter((element) => element.checkVisibility())
      .map((element) => [element, element.getBoundingClientRect().height])
      .filter(([, height]) => height > 0 && height < least - 0.5)
      .map(([element, height]) => `${element.outerHTML.slice(0, 90)}: ${height} px`);
  }, FINGER);
  assert.deepEqual(small, [], 'too low for a finger');
}

export async function assertLooks(page) {
  await assertFits(page);
  await assertTouchable(page);
}
