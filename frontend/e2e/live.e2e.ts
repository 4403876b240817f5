import { appendFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { enter, launch, LOOKS, shot, violations, wear } from './browser';
import { Server, until } from './server';
import { begin, hire, LIAR, runs, say, visit } from './tasks';

// The screen of a run and of a round, while it works and when it is in trouble.

const server = new Server();
let browser: Browser;
let page: Page;
let faults: string[];

/** Two steps of which the first fails once, and a third that waits for the test. */
const WORK = (title: string) => `---
title: ${title}
limits: {active: 2h, cost: 20}
steps:
  - name: Read the four files and write totals.json
    run: echo '{"q3":{"net":1}}' > totals.json
    else:
      - run: echo '{"q3":{"net":418250}}' > totals.json
    expect:
      - json totals.json $.q3.net == 418250
      - file totals.json exists
  - name: Export the sheet as report.txt
    run: printf 'Pages 4\\n' > report.txt; printf x > .~lock
    expect: file report.txt contains "Pages 4"
  - name: Wait for the last figures
    run: while [ -e hold ]; do sleep 0.1; done; echo done > out.txt
    expect: file out.txt exists
---
# ${title}
`;

const MEDDLER = {
  plan: say('Next: cli\\nTask: Write it\\nRequirements: R1'.replaceAll('\\n', '\n')),
  execute: `echo one > out.txt\n${say('Written.')}`,
  audit: `echo meddled >> out.txt\n${say('Status: complete\nIntegrity: clean\nContract audit: aligned')}`,
  report: say('It was meddled with.'),
};

beforeAll(async () => {
  browser = await launch();
  await server.start();
  hire(server, { liar: LIAR, meddler: MEDDLER });
  ({ page, faults } = await enter(browser, server));
  page.setDefaultTimeout(20_000);
});
afterAll(async () => {
  await browser?.close();
  await server.remove();
});
afterEach(async ({ task }) => {
  if (task.result?.state === 'fail') await shot(page, `failed-${task.name.slice(0, 24)}`);
});

async function everyLook(name: string): Promise<void> {
  for (const look of LOOKS) {
    await wear(page, look);
    await page.locator('main h1').waitFor();
    await page.waitForLoadState('networkidle').catch(() => undefined);
    await shot(page, `${name}.${look.theme}.${look.lang}`);
    expect(await violations(page), `${name}, ${look.theme}, ${look.lang}`).toEqual([]);
  }
  await wear(page, { theme: 'light', lang: 'en' });
}

const rounds = () => page.getByRole('list', { name: 'Rounds', exact: true });
const round = (name: RegExp) => rounds().getByRole('button', { name });
const hold = (name: string) => server.file(`${name}/hold`, '');
const release = (name: string) => rmSync(join(server.work, name, 'hold'));
let working = '';

test('a run at work shows each round with its verdict, and the one that runs ticks', async () => {
  hold('work');
  working = await begin(server, 'work', WORK('Quarterly report, Q3 2026'));
  await visit(page, server, working);
  const now = round(/^Round 4, executing, \d+ seconds?$/);
  await now.waitFor({ timeout: 60_000 });
  await round(
    /^Round 1, incomplete, clean, aligned, .*, lowered from complete$|^Round 1, incomplete/,
  ).waitFor();
  await round(/^Round 2, complete, clean, aligned/).waitFor();
  expect(await now.getAttribute('aria-current')).toBe('true');
  const was = await now.getAttribute('aria-label');
  await expect.poll(() => now.getAttribute('aria-label'), { timeout: 5_000 }).not.toBe(was);
  await page.getByText('Why now').waitFor();
  await page.getByText('Executing, round 4').waitFor();
  await everyLook('03-live-run');
});

test('rounds are walked by keys, opened, and left again', async () => {
  await now4();
  await page.keyboard.press('k');
  const third = round(/^Round 3, /);
  await expect.poll(() => third.evaluate((b) => b === document.activeElement)).toBe(true);
  expect(await third.getAttribute('aria-current')).toBe('true');
  expect(await page.getByRole('button', { name: 'Follow latest' }).getAttribute('aria-pressed')).toBe(
    'false',
  );
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('k');
  await page.keyboard.press('k');
  await page.getByRole('tab', { name: 'Round 1' }).waitFor();
  await page.getByText('json totals.json $.q3.net == 418250').first().waitFor();
  await shot(page, '03-round-1.light.en');
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press('Enter');
  await page.waitForURL(/#\/run\/[^/]+\/round\/1$/);
  await page.getByRole('heading', { name: 'Round 1' }).waitFor();
  await page.keyboard.press('1');
  await page.waitForURL(/round\/1\/plan$/);
  await page.keyboard.press('3');
  await page.getByText('The auditor said').waitFor();
  await everyLook('07-round-detail');
  await page.keyboard.press('j');
  await page.getByRole('heading', { name: 'Round 2' }).waitFor();
  await page.keyboard.press('Escape');
  await page.waitForURL(/#\/run\/[^/]+$/);
});

const now4 = () => round(/^Round 4, executing/).waitFor();

test('what is verified, what changed and the raw texts have a tab each', async () => {
  await visit(page, server, working);
  await now4();
  await page.getByRole('tab', { name: /Verified so far/ }).click();
  await page.getByRole('link', { name: 'round 2' }).waitFor();
  await shot(page, '03-verified.light.en');
  expect(await violations(page)).toEqual([]);
  await page.getByRole('tab', { name: /Changes/ }).click();
  await page
    .getByRole('button', { name: /Round 3/ })
    .last()
    .click();
  await page.getByText('report.txt', { exact: true }).waitFor();
  await shot(page, '03-changes.light.en');
  expect(await violations(page)).toEqual([]);
  await page.getByRole('tab', { name: 'Raw' }).click();
  await page.getByRole('button', { name: 'Load' }).click();
  await page.getByText('title: Quarterly report, Q3 2026').waitFor();
  await shot(page, '03-raw.light.en');
  expect(await violations(page)).toEqual([]);
});

test('a message waits for the next round, and that is said', async () => {
  await visit(page, server, working);
  await now4();
  await page.keyboard.press('m');
  const field = page.getByRole('textbox', { name: 'Message to the run' });
  await field.fill('The fourth quarter is final now.');
  await page.keyboard.press('Control+Enter');
  const list = page.getByRole('list', { name: 'Messages to this run' });
  await list.getByText('will be read before round 5').waitFor();
  expect(await list.getByRole('listitem').count()).toBe(1);
  await everyLookOfComposer();
});

async function everyLookOfComposer() {
  await shot(page, 'message-waits.light.en');
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: '1 message waits' }).waitFor();
}

test('a run is paused and goes on', async () => {
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByText('pauses after this phase').waitFor();
  await page.getByRole('button', { name: 'Resume' }).click();
  await page.getByRole('button', { name: 'Pause' }).waitFor();
});

test('a killed worker is said within seconds, nothing resumes by itself, and resume does', async () => {
  const worker = server.worker(working);
  expect(worker).toBeGreaterThan(1);
  process.kill(worker, 'SIGKILL');
  const at = Date.now();
  await page.getByText('The worker ended during Execute.').waitFor({ timeout: 10_000 });
  expect(Date.now() - at).toBeLessThan(8_000);
  await round(/^Round 4, interrupted, /).waitFor();
  await everyLook('trouble-interrupted');
  const stopped = await round(/^Round 4/).getAttribute('aria-label');
  await page.waitForTimeout(1500);
  expect(await round(/^Round 4/).getAttribute('aria-label')).toBe(stopped);
  expect(server.worker(working)).toBe(0);
  release('work');
  await page.getByRole('button', { name: 'Resume' }).first().click();
  await page
    .getByRole('alertdialog', { name: 'Task complete — accept the result?' })
    .waitFor({ timeout: 60_000 });
  await page.keyboard.press('Escape');
  await page.keyboard.press('m');
  await page.getByText(/used in round \d/).waitFor();
  await page.keyboard.press('Escape');
});

test('a violation is loud in its row and in its round', async () => {
  const id = await begin(
    server,
    'meddled',
    '---\ntitle: Meddled\nagent: meddler\nlimits: {rounds: 1}\n---\n# Meddled\n- [ ] out.txt is there\n',
  );
  await visit(page, server, id);
  await page.getByRole('alertdialog').waitFor({ timeout: 60_000 });
  await everyLookAlert('04-void-audit');
  await page.keyboard.press('Escape');
  await page.getByText('1 violation').first().waitFor();
  await shot(page, '03-violation.light.en');
  expect(await violations(page)).toEqual([]);
});

async function everyLookAlert(name: string) {
  await shot(page, `${name}.light.en`);
  expect(await violations(page)).toEqual([]);
}

test('a stop asks nothing, an abort asks with the name, and what is deleted is gone', async () => {
  hold('stop');
  const id = await begin(server, 'stop', WORK('Unwanted'));
  await visit(page, server, id);
  await now4();
  await page.keyboard.press('.');
  await page.getByRole('menuitem', { name: /Stop after this phase/ }).waitFor();
  await shot(page, 'stop-menu.light.en');
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await page.getByRole('menuitem', { name: /Stop after this phase/ }).waitFor({ state: 'detached' });
  await page.keyboard.press('.');
  await page.getByRole('menuitem', { name: /Abort now/ }).click();
  const ask = page.getByRole('alertdialog', { name: 'Abort “Unwanted”?' });
  await ask.waitFor();
  await shot(page, 'abort.light.en');
  expect(await violations(page)).toEqual([]);
  await ask.getByRole('button', { name: 'Keep it running' }).click();
  await ask.waitFor({ state: 'detached' });
  await expect.poll(() => page.evaluate(() => document.body.style.pointerEvents)).not.toBe('none');
  await page.keyboard.press('.');
  await page.getByRole('menuitem', { name: /Stop after this phase/ }).click();
  await page.getByText('stopping when this phase is finished').waitFor();
  release('stop');
  await page.getByRole('heading', { name: 'Stopped' }).waitFor({ timeout: 30_000 });
  await page.getByRole('button', { name: 'Delete…' }).click();
  await page.getByRole('alertdialog').getByText('“Unwanted”').waitFor();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('heading', { name: 'This run is gone' }).waitFor();
  expect(runs(server)).not.toContain(id);
  await everyLook('trouble-gone');
});

test('a ledger that was tampered with is said, and nothing is asked of the run', async () => {
  await visit(page, server, working);
  await page.getByRole('alertdialog').waitFor();
  await page.keyboard.press('Escape');
  appendFileSync(join(server.home, 'runs', working, 'ledger.jsonl'), '{"v":1,"seq":9999}\n');
  await page.getByText('The records of this run are not as they were written.').waitFor({ timeout: 15_000 });
  await page.getByText('Ledger broken').waitFor();
  expect(await page.getByRole('button', { name: 'Message' }).count()).toBe(0);
  await everyLook('trouble-broken');
});

test('a run that is deleted elsewhere is said to be gone', async () => {
  hold('gone');
  const id = await begin(server, 'gone', WORK('Gone'));
  await visit(page, server, id);
  await now4();
  server.cli('abort', id);
  await page.getByRole('heading', { name: 'Aborted' }).waitFor();
  rmSync(join(server.home, 'runs', id), { recursive: true });
  await page.getByRole('heading', { name: 'This run is gone' }).waitFor({ timeout: 10_000 });
});

test('a server that is gone is said, what is known stays, and it recovers', async () => {
  hold('back');
  const id = await begin(server, 'back', WORK('Back again'));
  await visit(page, server, id);
  await now4();
  await server.stop();
  await page.getByText('Longwatch does not answer').first().waitFor({ timeout: 5_000 });
  expect(await round(/^Round 4/).count()).toBe(1);
  await shot(page, 'trouble-unreachable-run.light.en');
  expect(await violations(page)).toEqual([]);
  await server.start();
  await page.getByRole('textbox', { name: 'Code' }).fill(server.invitation.code);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await now4();
  release('back');
  await page.getByRole('alertdialog').waitFor({ timeout: 60_000 });
  await until(
    () =>
      page
        .getByText('Executing, round 4')
        .count()
        .then((n) => n === 0),
    'it has moved on',
  );
});

test('nothing was refused by the page’s own rules and nothing broke', () => {
  expect(faults).toEqual([]);
});
