import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { en } from './en';
import { zh } from './zh';

type Leaf = string | ((...args: never[]) => string);

function leaves(table: object, path = ''): [string, Leaf][] {
  return Object.entries(table).flatMap(([key, value]: [string, unknown]) => {
    const at = path ? `${path}.${key}` : key;
    return typeof value === 'object' && value !== null
      ? leaves(value, at)
      : [[at, value as Leaf] as [string, Leaf]];
  });
}

const english = new Map(leaves(en));
const chinese = new Map(leaves(zh));

/** These are the same in every language. */
const SAME = new Set([
  'app.name',
  'common.unknown',
  'nav.languages.en',
  'nav.languages.zh',
  'newRun.unnamed',
  'newRun.size',
  'newRun.digest',
  'status.version',
]);

// A text function is asked with its own parameters' names, so that a forgotten
// parameter shows.
function said(leaf: Leaf, n: unknown): string {
  if (typeof leaf === 'string') return leaf;
  return (leaf as (...args: unknown[]) => string)(
    ...Array.from({ length: leaf.length }, (_, i) => n ?? `«${i}»`),
  );
}

test('both languages have the same texts', () => {
  expect([...chinese.keys()]).toEqual([...english.keys()]);
});

test('every text is translated', () => {
  const left = [...english].filter(
    ([key, leaf]) => !SAME.has(key) && said(chinese.get(key) as Leaf, null) === said(leaf, null),
  );
  expect(left.map(([key]) => key)).toEqual([]);
});

test('no text loses a parameter on the way', () => {
  const marks = (text: string) => [...text.matchAll(/«\d+»/g)].map((m) => m[0]).sort();
  const lost = [...english].filter(([key, leaf]) => {
    const other = chinese.get(key) as Leaf;
    return String(marks(said(leaf, null))) !== String(marks(said(other, null)));
  });
  expect(lost.map(([key]) => key)).toEqual([]);
});

test('no text is empty, whatever the number', () => {
  for (const [key, leaf] of [...english, ...chinese]) {
    // Chinese sentences follow each other without a space.
    if (key === 'newRun.summary.gap') continue;
    for (const n of [0, 1, 2]) expect(said(leaf, n), key).not.toBe('');
  }
});

function sources(dir: string): string[] {
  return readdirSync(dir, { withFileTypes: true }).flatMap((entry) => {
    const path = join(dir, entry.name);
    if (entry.isDirectory()) return entry.name === 'i18n' ? [] : sources(path);
    return /\.(ts|svelte)$/.test(entry.name) && !entry.name.includes('.test.')
      ? [readFileSync(path, 'utf8')]
      : [];
  });
}

test('every text is used', () => {
  const page = sources('src').join('\n') + readFileSync('src/lib/i18n/failure.ts', 'utf8');
  // A whole table is used where it is looked up by a code: t.phase, words[code].
  const used = (key: string) => {
    const parts = key.split('.');
    return parts.some((_, i) => {
      const head = parts.slice(0, parts.length - i).join('.');
      const whole = i === 0 ? `\\bt\\.${head}\\b` : `\\bt\\.${head}\\b(?!\\.|\\w)`;
      return new RegExp(whole.replaceAll('.', '\\s*\\.\\s*').replaceAll('\\\\s', '\\s')).test(page);
    });
  };
  // The common ones are kept in stock.
  const wanted = [...english.keys()].filter((key) => !key.startsWith('common.'));
  expect(wanted.filter((key) => !used(key))).toEqual([]);
});
