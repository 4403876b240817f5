import { describe, expect, test } from 'vitest';
import { rowOf } from '../../testing';
import { IDLE_MS, idleWithin, type Item, items, offsets, reveal, rowAt, shifted, span } from './positioning';

const keys = (list: Item[]) => list.map((item) => item.key);

describe('the rows of the list', () => {
  test('a long gap between two rounds is a row of its own, a short one is not', () => {
    const rows = [
      rowOf(1, { began: 0, closed: 1000, end: 'asked' }),
      rowOf(2, { began: 1000 + IDLE_MS, closed: 2000 + IDLE_MS }),
      rowOf(3, { began: 2000 + IDLE_MS + IDLE_MS - 1 }),
    ];
    expect(keys(items(rows))).toEqual(['r1', 'i2', 'r2', 'r3']);
    expect(items(rows)[1]).toMatchObject({ ms: IDLE_MS, after: 'asked' });
  });

  test('an open round before another is no gap', () => {
    expect(keys(items([rowOf(1, { began: 0 }), rowOf(2, { began: 9 * IDLE_MS })]))).toEqual(['r1', 'r2']);
  });

  test('time without a phase inside a round is told, but not of a wait', () => {
    const stages = [{ phase: 'plan', state: 'done', attempt: 1, began: 0, ended: 1000 }];
    const row = rowOf(1, { began: 0, closed: 1000 + IDLE_MS, stages });
    expect(idleWithin(row)).toBe(IDLE_MS);
    expect(idleWithin({ ...row, route: 'wait' })).toBe(0);
    expect(idleWithin({ ...row, closed: 2000 })).toBe(0);
    expect(idleWithin(rowOf(1))).toBe(0);
  });
});

describe('the window on the list', () => {
  const list = items(Array.from({ length: 1000 }, (_, i) => rowOf(i + 1, { began: i })));
  const measured = new Map(list.map((item) => [item.key, 100]));
  const at = offsets(list, measured);

  test('rows stand one below the other, measured or guessed', () => {
    expect(at[1000]).toBe(100_000);
    expect(offsets(list.slice(0, 2), new Map([['r1', 50]]))[2]).toBe(144);
  });

  test('each height belongs to one row', () => {
    expect([-5, 0, 99, 100, 99_999, 500_000].map((y) => rowAt(at, y))).toEqual([0, 0, 0, 1, 999, 999]);
  });

  test('few rows are drawn, wherever the list stands', () => {
    for (const top of [0, 1, 12_345, 99_200]) {
      const { from, to } = span(at, { top, height: 700 });
      expect(to - from).toBeLessThanOrEqual(8 + 12);
      expect(from * 100).toBeLessThanOrEqual(top);
      expect(to * 100).toBeGreaterThanOrEqual(Math.min(top + 700, 100_000));
    }
    expect(span(offsets([], new Map()), { top: 0, height: 700 })).toEqual({ from: 0, to: 0 });
  });

  test('a row is brought into view with the least scrolling', () => {
    const view = { top: 1000, height: 500 };
    expect([9, 12, 15].map((i) => reveal(at, i, view))).toEqual([900, 1000, 1100]);
  });

  test('what is read stays where it is when a row above turns out higher', () => {
    const news = new Map([
      ['r1', 130],
      ['r3', 90],
      ['r20', 900],
    ]);
    expect(shifted(list, at, news, 1000)).toBe(20);
    expect(shifted(list, at, news, 0)).toBe(0);
  });
});
