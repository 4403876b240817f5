import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import type { Server } from './server';

const PLACES = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

export const THEMES = ['light', 'dark'] as const;
export const LANGS = ['en', 'zh'] as const;
export interface Look {
  theme: (typeof THEMES)[number];
  lang: (typeof LANGS)[number];
}

/** LOOKS are all looks a screen has to be right in. */
export const LOOKS: Look[] = THEMES.flatMap((theme) => LANGS.map((lang) => ({ theme, lang })));

/** launch starts the system's Chromium. */
export function launch(): Promise<Browser> {
  const executablePath = process.env.LONGWATCH_CHROMIUM ?? PLACES.find((place) => existsSync(place));
  if (!executablePath) throw new Error('no Chromium: build/test-needs installs it');
  return chromium.launch({ executablePath, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] });
}

/** enter opens a page in a browser profile of its own and signs it in. Faults of
 * the page are collected in faults. */
export async function enter(browser: Browser, server: Server, look: Look = { theme: 'light', lang: 'en' }) {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    reducedMotion: 'reduce',
  });
  await context.addInitScript((prefs) => {
    // A page that is not ours has no storage.
    if (location.protocol !== 'http:') return;
    localStorage.getItem('longwatch.prefs') ?? localStorage.setItem('longwatch.prefs', JSON.stringify(prefs));
  }, look);
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('pageerror', (fault) => faults.push(String(fault)));
  page.on('console', (message) => {
    // A request that fails is part of some tests; a refused script never is.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      faults.push(message.text());
  });
  const { url } = server.invitation;
  await page.goto(url);
  await page.getByRole('navigation', { name: look.lang === 'zh' ? '主导航' : 'Main' }).waitFor();
  return { page, context, faults };
}

/** wear changes the look of an open page as the person would find it after a
 * reload. */
export async function wear(page: Page, look: Look): Promise<void> {
  await page.evaluate((prefs) => localStorage.setItem('longwatch.prefs', JSON.stringify(prefs)), look);
  await page.reload();
  await page.getByRole('navigation', { name: look.lang === 'zh' ? '主导航' : 'Main' }).waitFor();
}

interface Violation {
  id: string;
  help: string;
  nodes: { html: string; failureSummary?: string }[];
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** violations asks axe-core what is wrong with the page as it stands. */
export async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  const found = await page.evaluate(() =>
    (window as unknown as { axe: { run(): Promise<{ violations: Violation[] }> } }).axe.run(),
  );
  return found.violations.flatMap((v) =>
    v.nodes.map((n) => `${v.id}: ${v.help}\n  ${n.html}\n  ${n.failureSummary}`),
  );
}

/** shot keeps a picture of the page where LONGWATCH_SHOTS says. */
export async function shot(page: Page, name: string): Promise<void> {
  const dir = process.env.LONGWATCH_SHOTS;
  if (!dir) return;
  mkdirSync(dir, { recursive: true });
  await page.screenshot({ path: join(dir, `${name}.png`) });
}
