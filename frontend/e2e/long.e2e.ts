import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { enter, launch, shot, violations } from './browser';
import { Server } from './server';
import { runs, visit } from './tasks';

// A long run stays fluid. LONGWATCH_ROUNDS=1000 is the size that is promised;
// the figures are printed.

const ROUNDS = Number(process.env.LONGWATCH_ROUNDS ?? 200);
/** How far one turn of the wheel goes, in px. */
const WHEEL = Number(process.env.LONGWATCH_WHEEL ?? 1500);
const server = new Server();
let browser: Browser;
let page: Page;
let faults: string[];
let id = '';

/** Each step fails once: two rounds a step, and one at the end. */
function task(rounds: number): string {
  const steps = Array.from(
    { length: Math.floor((rounds - 1) / 2) },
    (_, i) =>
      `  - {name: Step ${i + 1}, run: ":", else: [{run: ": > f${i + 1}"}], expect: file f${i + 1} exists}`,
  );
  return `---\ntitle: ${rounds} rounds\nlimits: {rounds: ${rounds + 20}}\nsteps:\n${steps.join('\n')}\n---\n# A long way\n`;
}

beforeAll(async () => {
  browser = await launch();
  await server.start();
  server.cli('run', server.file('long/task.md', task(ROUNDS)), '--unattended');
  id = runs(server)[0] ?? '';
  ({ page, faults } = await enter(browser, server));
}, 900_000);
afterAll(async () => {
  await browser?.close();
  await server.remove();
});

const list = () => page.getByRole('list', { name: 'Rounds', exact: true });
const drawn = () =>
  list()
    .getByRole('listitem')
    .filter({ has: page.locator('[data-round]') })
    .count();

/** Counts what the page itself computes from now on, in ms of processor time:
 * the clock would count everything else that this machine does too. */
async function meter(): Promise<() => Promise<number>> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Performance.enable', { timeDomain: 'threadTicks' });
  const spent = async () => {
    const { metrics } = await cdp.send('Performance.getMetrics');
    return (metrics.find((one) => one.name === 'TaskDuration')?.value ?? 0) * 1000;
  };
  const before = await spent();
  return async () => (await spent()) - before;
}

/** Has the page drawn once more. */
const drawnAgain = () =>
  page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

test('it opens at its end, with few rows drawn', async () => {
  const began = performance.now();
  await visit(page, server, id);
  await list()
    .getByRole('button', { name: new RegExp(`^Round ${ROUNDS % 2 ? ROUNDS : ROUNDS - 1}, `) })
    .waitFor();
  console.log(`${ROUNDS} rounds: shown after ${Math.round(performance.now() - began)} ms`);
  expect(await drawn()).toBeLessThan(40);
  const last = list().locator('li').last();
  expect(await last.getAttribute('aria-posinset')).toBe(await last.getAttribute('aria-setsize'));
  await shot(page, 'long-end.light.en');
  expect(await violations(page)).toEqual([]);
});

test('scrolling never blocks and never loses its place', async () => {
  const spent = await meter();
  const box = page.locator('section[aria-label="Rounds"] > div');
  await box.hover();
  let steps = 0;
  while ((await box.evaluate((b) => b.scrollTop)) > 0 && steps++ < 4000) {
    await page.mouse.wheel(0, -WHEEL);
    await drawnAgain();
  }
  const each = (await spent()) / steps;
  console.log(`scrolled to the top by ${steps} turns of ${WHEEL} px, ${each.toFixed(1)} ms each`);
  await list()
    .getByRole('button', { name: /^Round 1, / })
    .waitFor();
  expect(await page.getByRole('button', { name: 'Follow latest' }).getAttribute('aria-pressed')).toBe(
    'false',
  );
  expect(each).toBeLessThan(100);
  expect(await drawn()).toBeLessThan(40);
});

test('what is read stays where it is while rows above are measured', async () => {
  const box = page.locator('section[aria-label="Rounds"] > div');
  await box.evaluate((b) => (b.scrollTop = b.scrollHeight / 2));
  const place = () =>
    box.evaluate((b) => {
      const middle = b.getBoundingClientRect().top + 200;
      const row = [...b.querySelectorAll<HTMLElement>('[data-round]')].find(
        (r) => r.getBoundingClientRect().bottom > middle,
      );
      return { n: row?.dataset.round, top: Math.round(row?.getBoundingClientRect().top ?? 0) };
    });
  await expect.poll(async () => (await place()).n).toBeTruthy();
  await page.waitForTimeout(300);
  const was = await place();
  for (let i = 0; i < 30; i++) {
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(done)));
    expect(await place()).toEqual(was);
  }
});

test('keys lead through rows that were never drawn', async () => {
  const first = list().getByRole('button').first();
  await first.click();
  await page.keyboard.press('End');
  await expect
    .poll(() => page.evaluate(() => Number((document.activeElement as HTMLElement).dataset.round)))
    .toBeGreaterThanOrEqual(ROUNDS - 1);
  await page.keyboard.press('Home');
  await expect
    .poll(() => page.evaluate(() => (document.activeElement as HTMLElement).dataset.round))
    .toBe('1');
  for (let i = 0; i < 20; i++) await page.keyboard.press('j');
  await expect
    .poll(() => page.evaluate(() => (document.activeElement as HTMLElement).dataset.round))
    .toBe('21');
});

test('an update is small, however long the run is', async () => {
  const sizes: number[] = [];
  page.on('response', (answer) => {
    if (/\/api\/runs\/[^/?]+\?after=/.test(answer.url()))
      void answer.body().then(
        (b) => sizes.push(b.length),
        () => {},
      );
  });
  const spent = await meter();
  await page.getByRole('tab', { name: 'Result' }).click();
  await page.getByRole('textbox', { name: 'Go on with…' }).fill('Look once more.');
  await page.getByRole('button', { name: 'Go on', exact: true }).click();
  await expect.poll(() => sizes.length, { timeout: 30_000 }).toBeGreaterThan(3);
  await page.getByRole('heading', { name: 'Accepted' }).waitFor({ timeout: 60_000 });
  const each = (await spent()) / sizes.length;
  sizes.sort((a, b) => a - b);
  console.log(
    `updates: ${sizes.length}, median ${sizes[sizes.length >> 1]} bytes, largest ${sizes.at(-1)} bytes, ${each.toFixed(1)} ms each`,
  );
  expect(sizes[sizes.length >> 1]).toBeLessThan(16_000);
});

test('nothing broke', () => {
  expect(faults).toEqual([]);
});
