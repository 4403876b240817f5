import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { enter, launch, LOOKS, shot, violations, wear } from './browser';
import { Server } from './server';

// A person's first minutes, in the order in which they happen.

const server = new Server();
let browser: Browser;
let page: Page;
let faults: string[];

beforeAll(async () => {
  browser = await launch();
  await server.start();
  ({ page, faults } = await enter(browser, server));
});
afterAll(async () => {
  await browser?.close();
  await server.remove();
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

test('the code in the address is used and forgotten', async () => {
  expect(page.url()).toBe(`${server.invitation.address}#/runs`);
  await page.goBack().catch(() => null);
  expect(page.url()).not.toContain(server.invitation.code);
  await page.goto(server.invitation.address);
});

test('without runs there is one place to begin', async () => {
  await page.getByRole('heading', { name: 'Drop a task file here' }).waitFor();
  await everyLook('01b-empty');
});

test('the sample is prepared, read, and started once', async () => {
  await page.getByRole('button', { name: 'Try the sample task' }).click();
  const start = page.getByRole('button', { name: 'Start run' });
  await expect.poll(() => start.isEnabled()).toBe(true);
  expect(await page.locator('footer p').first().textContent()).toContain('It stops to ask after 20 rounds');
  await shot(page, '02-sample.light.en');
  await start.dblclick();
  await page.waitForURL(/#\/run\//);
  await page.goto(`${server.invitation.address}#/runs`);
  await page.getByRole('link', { name: 'Quarterly report' }).waitFor();
  expect(await page.locator('[data-row]').count()).toBe(1);
});

test('the list follows the run to its question without being asked', async () => {
  await page.getByText('At work', { exact: false }).or(page.getByText('at work')).first().waitFor();
  await page.getByRole('button', { name: 'Review result: Quarterly report' }).waitFor({ timeout: 110_000 });
  expect(await page.getByRole('group', { name: 'Verdict: Complete · Clean · Aligned' }).count()).toBe(1);
  await everyLook('01-needs-you');
});

test('the doctor looks at this machine', async () => {
  await page.keyboard.press('Tab');
  await page.getByRole('link', { name: 'Doctor' }).click();
  await page.locator('main ul li').first().waitFor();
  await page.getByText('needs you').first().waitFor();
  await everyLook('06-doctor');
});

test('a problem in a task is said at its line, mended, and then it can start', async () => {
  await page.keyboard.press('Control+n');
  await page.waitForURL(/#\/new/);
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Choose a file' }).click();
  await (
    await chooser
  ).setFiles({
    name: '四季 report.md',
    mimeType: 'text/markdown',
    buffer: Buffer.from(
      '---\ntitle: Season\nmax_rounds: 25\nchecks:\n  - file out.txt exists\n---\n# Requirements\n- Write out.txt\n',
    ),
  });
  await page.getByRole('list', { name: 'What is wrong with the task' }).waitFor();
  const start = page.getByRole('button', { name: 'Start run' });
  await expect.poll(() => start.isEnabled()).toBe(false);
  expect(await page.getByText('四季 report.md').count()).toBe(1);
  await page.getByRole('button', { name: 'Go to line 3' }).first().click();
  await shot(page, '02-problem.light.en');
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press('Delete');
  await expect.poll(() => page.getByRole('button', { name: 'Go to line 3' }).count()).toBe(0);
});

test('what is dropped is taken, and each other thing is refused by name', async () => {
  await page.goto(`${server.invitation.address}#/runs`);
  const files = await page.evaluateHandle(() => {
    const data = new DataTransfer();
    data.items.add(new File(['# Drop\n\n- Write a.txt\n'], 'drop.md', { type: 'text/markdown' }));
    data.items.add(new File(['a,b\n'], 'data.csv', { type: 'text/csv' }));
    data.items.add(new File([new Uint8Array([255, 254, 0, 1])], 'noise.bin'));
    return data;
  });
  await page.dispatchEvent('main', 'dragenter', { dataTransfer: files });
  await page.dispatchEvent('main', 'drop', { dataTransfer: files });
  await page.getByText('drop.md').waitFor();
  await page.getByText('Attachments do not exist yet: data.csv').waitFor();
  await page.getByText('“noise.bin” is not UTF-8 text.').waitFor();
  expect(new URL(page.url()).hash).toBe('#/new');
  await shot(page, '02-refused.light.en');
  for (const look of LOOKS) {
    await wear(page, look);
    await page.locator('textarea').fill('---\nmax_rounds: 3\n---\n# T\n- a\n');
    await page.locator('#task-problems').waitFor();
    await shot(page, `02-new.${look.theme}.${look.lang}`);
    expect(await violations(page), JSON.stringify(look)).toEqual([]);
  }
  await wear(page, { theme: 'light', lang: 'en' });
});

test('the keys are listed by a key, and the dialog gives the focus back', async () => {
  await page.goto(`${server.invitation.address}#/runs`);
  const keys = page.locator('header').getByRole('button', { name: 'Keyboard' });
  await keys.focus();
  await page.keyboard.press('Shift+?');
  const sheet = page.getByRole('dialog', { name: 'Keyboard' });
  await sheet.waitFor();
  await shot(page, 'keys.light.en');
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await sheet.waitFor({ state: 'detached' });
  await expect.poll(() => keys.evaluate((button) => button === document.activeElement)).toBe(true);
  expect(await page.evaluate(() => getComputedStyle(document.body).pointerEvents)).toBe('auto');
});

test('a narrow window loses columns and no words', async () => {
  await page.setViewportSize({ width: 960, height: 640 });
  for (const [name, hash] of [
    ['01-narrow', '#/runs'],
    ['02-narrow', '#/new'],
    ['06-narrow', '#/doctor'],
  ] as const) {
    await page.goto(server.invitation.address + hash);
    await page.locator('main h1').waitFor();
    await shot(page, `${name}.light.en`);
    expect(await violations(page), name).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth), name).toBe(960);
  }
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.goto(`${server.invitation.address}#/runs`);
});

test('a run is walked to by letters and opened', async () => {
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await page.waitForURL(/#\/run\//);
});

test('nothing was refused by the page’s own rules and nothing broke', () => {
  expect(faults).toEqual([]);
  expect(existsSync(join(server.home, 'runs'))).toBe(true);
});
