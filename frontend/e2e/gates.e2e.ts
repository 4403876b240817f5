import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { enter, launch, LOOKS, shot, violations, wear } from './browser';
import { Server } from './server';
import { ASKING, ASKS, begin, BLOCKED, COMPLETES, FAILING, hire, LIAR, LIMITED, visit } from './tasks';

// Each question a run can ask, answered in the window, with a real worker.

const server = new Server();
let browser: Browser;
let page: Page;
let faults: string[];

/** The test says when. $0 is the script itself. */
const SLOWLY = 'while [ ! -e "$(dirname "$0")/go" ]; do sleep 0.1; done\n';

beforeAll(async () => {
  browser = await launch();
  await server.start();
  hire(server, { liar: LIAR, asks: ASKS, slow: { ...ASKS, 'plan.1': SLOWLY + ASKS['plan.1'] } });
  ({ page, faults } = await enter(browser, server));
  page.setDefaultTimeout(15_000);
});
afterAll(async () => {
  await browser?.close();
  await server.remove();
});

afterEach(async ({ task }) => {
  if (task.result?.state === 'fail') await shot(page, `failed-${task.name.slice(0, 24)}`);
});

const dialog = (name: string, on: Page = page): Locator => on.getByRole('alertdialog', { name });
const verdict = (words: string) => page.getByRole('group', { name: `Verdict: ${words}` });

async function everyLook(name: string): Promise<void> {
  for (const look of LOOKS) {
    await wear(page, look);
    await page.getByRole('alertdialog').waitFor();
    await shot(page, `${name}.${look.theme}.${look.lang}`);
    expect(await violations(page), `${name}, ${look.theme}, ${look.lang}`).toEqual([]);
  }
  await wear(page, { theme: 'light', lang: 'en' });
  await page.getByRole('alertdialog').waitFor();
}

test('a result is put off, shown in the bar, and accepted with one effect', async () => {
  const id = await begin(server, 'done', COMPLETES('The report'));
  await visit(page, server, id);
  const ask = dialog('Task complete — accept the result?');
  await ask.waitFor({ timeout: 60_000 });
  await everyLook('04a-completed');
  // Nothing is accepted by a key that was meant for something else.
  await page.keyboard.press('Enter');
  await page.keyboard.press('Space');
  expect(await ask.isVisible()).toBe(true);
  // A click beside it does not close it.
  await page.mouse.click(8, 400);
  expect(await ask.isVisible()).toBe(true);
  await page.keyboard.press('Escape');
  await ask.waitFor({ state: 'detached' });
  expect(await page.evaluate(() => getComputedStyle(document.body).pointerEvents)).toBe('auto');
  const bar = page.getByRole('region', { name: 'Needs you' });
  await bar.waitFor();
  const open = bar.getByRole('button', { name: 'Open' });
  await open.focus();
  await page.keyboard.press('Enter');
  await ask.waitFor();
  // The focus stays inside.
  for (let i = 0; i < 12; i++) {
    await page.keyboard.press('Tab');
    expect(await ask.evaluate((box) => box.contains(document.activeElement))).toBe(true);
  }
  await page.keyboard.press('Escape');
  await ask.waitFor({ state: 'detached' });
  await expect.poll(() => open.evaluate((button) => button === document.activeElement)).toBe(true);
  await page.keyboard.press('g');
  await ask.getByRole('button', { name: 'Accept result' }).dblclick();
  await ask.waitFor({ state: 'detached' });
  await page.getByText(/Your answer is record \d+\./).waitFor();
  await page.getByRole('heading', { name: 'Accepted' }).waitFor();
  const answers = server.cli('show', id, '--json').match(/"kind": ?"gate_answered"/g) ?? [];
  expect(answers.length).toBeLessThanOrEqual(1);
});

test('a follow-up lets the same run go on, and its message says which round used it', async () => {
  const go = page.getByRole('region', { name: 'Go on with…' });
  await go.waitFor();
  for (const look of LOOKS) {
    await wear(page, look);
    await page.getByRole('button', { name: look.lang === 'zh' ? '继续做' : 'Go on', exact: true }).waitFor();
    await shot(page, `03-ended.${look.theme}.${look.lang}`);
    expect(await violations(page)).toEqual([]);
  }
  await wear(page, { theme: 'light', lang: 'en' });
  await go.getByRole('textbox', { name: 'Go on with…' }).fill('Look at the report once more.');
  await go.getByRole('button', { name: 'Go on' }).click();
  const ask = dialog('Task complete — accept the result?');
  await ask.waitFor({ timeout: 60_000 });
  await ask.getByRole('button', { name: 'Decide later' }).click();
  await page.keyboard.press('m');
  await page
    .getByRole('list', { name: 'Messages to this run' })
    .getByText(/used in round \d/)
    .waitFor();
  await shot(page, 'message-used.light.en');
  expect(await violations(page)).toEqual([]);
});

test('a used up limit is extended by as many rounds as are said', async () => {
  const id = await begin(server, 'limited', LIMITED);
  await visit(page, server, id);
  const ask = dialog('Round limit reached (1)');
  await ask.waitFor({ timeout: 60_000 });
  await everyLook('04-max-rounds');
  const rounds = ask.getByRole('textbox', { name: 'More rounds' });
  await rounds.fill('0');
  await ask.getByRole('button', { name: 'Add', exact: true }).click();
  await ask.getByText('A whole number of rounds, at least 1.').waitFor();
  await ask.getByRole('button', { name: 'Add 10 rounds' }).first().click();
  expect(await rounds.inputValue()).toBe('10');
  await rounds.fill('7');
  await ask.getByRole('button', { name: 'Add 7 rounds' }).click();
  await page.getByRole('list', { name: 'Budgets' }).getByText('/ 8').waitFor();
  await dialog('Task complete — accept the result?').waitFor({ timeout: 60_000 });
  await page.keyboard.press('Escape');
});

test('a question is answered in words, one of two people is first, and the other is told', async () => {
  const id = await begin(server, 'asks', ASKING('The colour'));
  await visit(page, server, id);
  const ask = dialog('The manager asks');
  await ask.waitFor({ timeout: 60_000 });
  await ask.getByText('<script>alert(1)</script>').waitFor();
  await everyLook('04-needs-input');
  await ask.getByRole('button', { name: 'Send answer' }).click();
  await ask.getByText('An answer in words is needed.').waitFor();

  await server.invite();
  const other = await enter(browser, server);
  await visit(other.page, server, id);
  const theirs = dialog('The manager asks', other.page);
  await theirs.waitFor();
  await theirs.getByRole('textbox', { name: 'Your answer' }).fill('red, please');
  await ask.getByRole('button', { name: 'azure' }).click();
  expect(await ask.getByRole('textbox', { name: 'Your answer' }).inputValue()).toBe('azure');
  await ask.getByRole('button', { name: 'Send answer' }).click();
  await ask.waitFor({ state: 'detached' });
  await theirs.getByText('This question was answered elsewhere.').waitFor({ timeout: 10_000 });
  await theirs.getByText('red, please').waitFor();
  await shot(other.page, '04-answered-elsewhere.light.en');
  expect(await violations(other.page)).toEqual([]);
  await theirs.getByRole('button', { name: 'Close' }).first().click();
  await theirs.waitFor({ state: 'detached' });
  expect(other.faults).toEqual([]);
  await other.context.close();

  await dialog('Task complete — accept the result?').waitFor({ timeout: 60_000 });
  await expect.poll(() => page.getByText('no markup').count()).toBeGreaterThan(0);
  await shot(page, '04a-reply.light.en');
  await page.keyboard.press('Escape');
});

test('both answer at once: one wins, and no answer is lost in silence', async () => {
  const id = await begin(server, 'race', ASKING('A race'));
  await server.invite();
  const other = await enter(browser, server);
  for (const on of [page, other.page]) {
    await visit(on, server, id);
    await dialog('The manager asks', on).waitFor({ timeout: 60_000 });
  }
  const answer = async (on: Page, text: string) => {
    const ask = dialog('The manager asks', on);
    await ask.getByRole('textbox', { name: 'Your answer' }).fill(text);
    await ask.getByRole('button', { name: 'Send answer' }).click();
    const won = on
      .getByText(/Your answer is record \d+\./)
      .waitFor()
      .then(() => 'won');
    const lost = ask
      .getByText('This question was answered elsewhere.')
      .waitFor()
      .then(() => 'told');
    return Promise.any([won, lost]);
  };
  const ends = await Promise.all([answer(page, 'red'), answer(other.page, 'azure')]);
  expect(ends.sort()).toEqual(['told', 'won']);
  await other.context.close();
});

test('a blocked run shows what was tried and takes an instruction', async () => {
  const id = await begin(server, 'blocked', BLOCKED);
  await visit(page, server, id);
  const ask = dialog('Blocked: needs you');
  await ask.waitFor({ timeout: 60_000 });
  await everyLook('04-needs-human');
  await ask.getByRole('button', { name: 'Continue with instruction' }).click();
  await ask.getByText('An answer in words is needed.').waitFor();
  server.file('blocked/archive.open', '');
  await ask.getByRole('textbox').fill('The archive is open now, look again.');
  await page.keyboard.press('Tab');
  await ask.getByRole('button', { name: 'Continue with instruction' }).click();
  await dialog('Task complete — accept the result?').waitFor({ timeout: 60_000 });
  await page.keyboard.press('Escape');
});

test('failures stand side by side with what they have in common, and the run is ended', async () => {
  const id = await begin(server, 'failing', FAILING);
  await visit(page, server, id);
  const ask = dialog('2 rounds in a row failed');
  await ask.waitFor({ timeout: 60_000 });
  await ask.getByText('The same check failed each time with the same result.').waitFor();
  await everyLook('04b-repeated-failure');
  await ask.getByRole('button', { name: 'End run' }).click();
  await page.getByRole('heading', { name: 'Ended without being complete' }).waitFor({ timeout: 20_000 });
  expect(await verdict('Incomplete · Clean · Aligned').count()).toBeGreaterThan(0);
  await page.getByText('Lowered from Complete:').first().waitFor();
});

test('a dialog waits until the person pauses', async () => {
  const id = await begin(server, 'typing', ASKING('While typing').replace('agent: asks', 'agent: slow'));
  await visit(page, server, id);
  await page.keyboard.press('m');
  const field = page.getByRole('textbox', { name: 'Message to the run' });
  await field.waitFor();
  await page.keyboard.type('xyz');
  // Typing goes on while the question comes. For the page no time passes, because
  // a busy machine would make gaps between the keys.
  await page.evaluate(() => {
    const now = Date.now();
    Object.assign(window, { clock: Date.now });
    Date.now = () => now;
  });
  server.file('agents/slow/go', '');
  const bar = page.getByRole('region', { name: 'Needs you' });
  await page.getByText('asks you').first().waitFor();
  const dialogs = await page.getByRole('alertdialog').count();
  await page.evaluate(() => {
    Date.now = (window as unknown as { clock: () => number }).clock;
  });
  expect(dialogs).toBe(0);
  const typed = 'xyz';
  expect(await field.inputValue()).toBe(typed);
  await bar.waitFor();
  await dialog('The manager asks').waitFor();
  await page.keyboard.press('Escape');
  expect(await field.inputValue()).toBe(typed);
  await expect.poll(() => field.evaluate((area) => area === document.activeElement)).toBe(true);
});

test('nothing was refused by the page’s own rules and nothing broke', () => {
  expect(faults).toEqual([]);
});
