import { expect, test } from 'vitest';
import { lineCount, span, visible } from './editor';

test('lines are counted and found', () => {
  const text = 'one\ntwo\n\nfour';
  expect(lineCount(text)).toBe(4);
  expect(lineCount('')).toBe(1);
  expect([1, 2, 3, 4].map((n) => text.slice(span(text, n).start, span(text, n).end))).toEqual([
    'one',
    'two',
    '',
    'four',
  ]);
  expect(span(text, 9)).toEqual({ start: text.length, end: text.length });
});

test('only the numbers in sight are drawn', () => {
  expect(visible(0, 100, 3)).toEqual({ first: 1, last: 3 });
  expect(visible(2000, 100, 1000)).toEqual({ first: 101, last: 106 });
});
