import { appendFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { enter, launch, LOOKS, shot, violations, wear } from './browser';
import { Server, until } from './server';

// Whatever goes wrong, the page says what is so within seconds, and recovers by
// itself where it can.

const server = new Server();
let browser: Browser;
let page: Page;

/** A step that waits for its file to go: the run is at work until the test says. */
const SLOW = `---
title: Slow work
steps:
  - name: It waits
    run: while [ -e hold ]; do sleep 0.1; done; echo done > out.txt
    expect:
      - file out.txt exists
checks:
  - file out.txt exists
---
# Requirements
- Write out.txt
`;

beforeAll(async () => {
  browser = await launch();
  await server.start();
  ({ page } = await enter(browser, server));
});
afterAll(async () => {
  await browser?.close();
  await server.remove();
});

async function begin(name: string): Promise<string> {
  server.file(`${name}/hold`, '');
  const task = server.file(`${name}/task.md`, SLOW.replace('Slow work', name));
  const before = new Set(runs());
  server.cli('run', task, '--detach');
  const id = runs().find((run) => !before.has(run));
  if (!id) throw new Error('no run was made');
  await until(() => server.worker(id) > 0, 'a worker is at work');
  return id;
}

const runs = () => {
  try {
    return readdirSync(join(server.home, 'runs'));
  } catch {
    return [];
  }
};
const row = (title: string) => page.locator('li', { has: page.getByRole('link', { name: title }) });

test('a run that is begun elsewhere appears, and a killed worker is said and resumed', async () => {
  const id = await begin('Killed');
  await row('Killed').getByText('Executing', { exact: true }).waitFor({ timeout: 10_000 });
  const worker = server.worker(id);
  expect(worker).toBeGreaterThan(1);
  process.kill(worker, 'SIGKILL');
  await row('Killed').getByText('Interrupted', { exact: true }).waitFor({ timeout: 20_000 });
  await shot(page, 'trouble-interrupted.light.en');
  rmSync(join(server.work, 'Killed', 'hold'));
  await page.getByRole('button', { name: 'Resume: Killed' }).click();
  await page.getByRole('button', { name: 'Review result: Killed' }).waitFor({ timeout: 60_000 });
});

test('a run that is deleted elsewhere is gone within seconds', async () => {
  const id = await begin('Gone');
  await row('Gone').waitFor();
  server.cli('abort', id);
  await row('Gone').getByText('Aborted', { exact: true }).waitFor({ timeout: 20_000 });
  rmSync(join(server.home, 'runs', id), { recursive: true });
  await row('Gone').waitFor({ state: 'detached', timeout: 10_000 });
});

test('a run is deleted from the list after a question with its name', async () => {
  const id = await begin('Unwanted');
  server.cli('abort', id);
  await row('Unwanted').getByText('Aborted', { exact: true }).waitFor({ timeout: 20_000 });
  await row('Unwanted').hover();
  await page.getByRole('button', { name: 'Delete: Unwanted' }).click();
  const dialog = page.getByRole('alertdialog', { name: 'Delete this run?' });
  await dialog.getByText('“Unwanted”').waitFor();
  await shot(page, 'delete.light.en');
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  expect(runs()).toContain(id);
  await row('Unwanted').hover();
  await page.getByRole('button', { name: 'Delete: Unwanted' }).click();
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await row('Unwanted').waitFor({ state: 'detached' });
  await expect.poll(() => runs()).not.toContain(id);
});

test('a ledger that was tampered with is said in its row, and the others go on', async () => {
  const id = await begin('Forged');
  rmSync(join(server.work, 'Forged', 'hold'));
  await page.getByRole('button', { name: 'Review result: Forged' }).waitFor({ timeout: 60_000 });
  appendFileSync(join(server.home, 'runs', id, 'ledger.jsonl'), '{"v":1,"seq":9999}\n');
  // The list reads summaries; a flaw shows where somebody looks.
  await page.getByRole('link', { name: 'Forged' }).click();
  await page.waitForURL(/#\/run\//);
  await page.getByRole('link', { name: 'All runs' }).click();
  await row('Forged').getByText('Unreadable', { exact: true }).waitFor({ timeout: 15_000 });
  await shot(page, 'trouble-broken.light.en');
  await row('Killed').waitFor();
});

test('a server that is gone is said at once, with the time of the last good answer', async () => {
  await server.stop();
  await page.getByText('Longwatch does not answer').first().waitFor({ timeout: 5_000 });
  await page
    .getByText(/what you see is from \d\d:\d\d:\d\d/)
    .first()
    .waitFor();
  await row('Killed').waitFor();
  await shot(page, 'trouble-unreachable.light.en');
  expect(await violations(page)).toEqual([]);
});

test('a server that comes back asks for a new code and shows where one was', async () => {
  await server.start();
  const title = page.getByRole('heading', { name: 'Sign in' });
  await title.waitFor({ timeout: 10_000 });
  const code = page.getByRole('textbox', { name: 'Code' });
  await code.fill('wron-gcod-ewro-ngco');
  await page.keyboard.press('Enter');
  await page.getByText('That code is not known').waitFor();
  for (const look of LOOKS) {
    await page.evaluate((prefs) => localStorage.setItem('longwatch.prefs', JSON.stringify(prefs)), look);
    await page.reload();
    await page.locator('form').waitFor();
    await shot(page, `sign-in.${look.theme}.${look.lang}`);
    expect(await violations(page), JSON.stringify(look)).toEqual([]);
  }
  await page.evaluate(() => localStorage.setItem('longwatch.prefs', '{"theme":"light","lang":"en"}'));
  await page.reload();
  await code.fill(server.invitation.code);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await row('Killed').waitFor();
  await wear(page, { theme: 'light', lang: 'en' });
  await row('Killed').waitFor();
});
