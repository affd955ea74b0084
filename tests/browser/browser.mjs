// A Chromium whose pages report everything that goes wrong: console errors, exceptions, failed
// requests.

import { chromium } from 'playwright-core';

const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export const SIZES = { phone: { width: 390, height: 844 }, desktop: { width: 1280, height: 800 } };

export const launch = () =>
  chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ARGS });

/** A refusal that a person meets is an answer, not a fault of the page: status and path. */
const REFUSALS = [
  ['422', /\/v1\/tables$/], // rules that cannot be combined
  ['404', /\/v1\/tickets$/], // the code of a party that is not there
];

const isRefusal = (message) =>
  REFUSALS.some(
    ([status, path]) => message.text().includes(status) && path.test(message.location().url),
  );

/** A server that fails where a test made it fail. */
const isPlanned = (message, failing) =>
  failing.some((path) => message.location().url.includes(path));

/** A closed event stream is no failure: the page ends it on reload and when it leaves a table. */
const isClosedStream = (request) =>
  request.failure()?.errorText === 'net::ERR_ABORTED' && request.url().endsWith('/events');

/**
 * A new visitor with storage of its own; `problems` collects what the page must not do. Whoever
 * makes requests fail on purpose names their paths in `failing`.
 */
export async function visitor(browser, size) {
  const context = await browser.newContext({
    viewport: SIZES[size],
    hasTouch: size === 'phone',
    reducedMotion: 'reduce',
  });
  context.setDefaultTimeout(15_000);
  const page = await context.newPage();
  const problems = [];
  const failing = [];
  page.on('pageerror', (error) => problems.push(`exception: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error' && !isRefusal(message) && !isPlanned(message, failing))
      problems.push(`console: ${message.text()} ${message.location().url}`);
  });
  page.on('requestfailed', (request) => {
    if (!isClosedStream(request))
      problems.push(`request: ${request.url()} ${request.failure()?.errorText}`);
  });
  return { page, problems, failing, close: () => context.close() };
}
