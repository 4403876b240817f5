import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

function files(dir: string): string[] {
  return readdirSync(dir, { withFileTypes: true }).flatMap((entry) => {
    const path = join(dir, entry.name);
    return entry.isDirectory() ? files(path) : [path];
  });
}

const page = files('src').filter((path) => /\.(ts|svelte)$/.test(path) && !path.includes('.test.'));
const inside = join('src', 'lib', 'bridge');

test('only the bridge talks to the outside', () => {
  const door =
    /\bfetch\s*\(|EventSource|XMLHttpRequest|WebSocket|sendBeacon|window\.(go|runtime|wails)\b|['"`]\/api\//;
  const others = page.filter((path) => !path.startsWith(inside) && door.test(readFileSync(path, 'utf8')));
  expect(others).toEqual([]);
  // The search itself works: it finds the door where the door is.
  expect(page.filter((path) => door.test(readFileSync(path, 'utf8'))).length).toBeGreaterThan(0);
});

test('what others made is never drawn as markup', () => {
  const markup = /\{@html|innerHTML|insertAdjacentHTML|document\.write|srcdoc/;
  expect(page.filter((path) => markup.test(readFileSync(path, 'utf8')))).toEqual([]);
});

test('components stay small and typed', () => {
  const large = page.filter(
    (path) => path.endsWith('.svelte') && readFileSync(path, 'utf8').split('\n').length > 201,
  );
  expect(large).toEqual([]);
  const loose = page.filter(
    (path) => !path.endsWith('types.gen.ts') && /:\s*any\b|as any\b|<any>/.test(readFileSync(path, 'utf8')),
  );
  expect(loose).toEqual([]);
});
