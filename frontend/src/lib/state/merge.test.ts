import { expect, test } from 'vitest';
import { rowOf, viewOf } from '../../testing';
import { merge, mergeRows } from './merge';

test('the whole replaces what was known', () => {
  const whole = viewOf({ seq: 3 });
  expect(merge(viewOf({ seq: 90 }), whole)).toBe(whole);
});

test('news are laid over what is known, and what is absent stays', () => {
  const known = viewOf({
    seq: 20,
    round_count: 2,
    round_rows: [rowOf(1), rowOf(2)],
    records: [{ id: 'R1', mark: 'pending', text: 'a' }],
    messages: [{ id: 'm', text: 'hello', at: 1 }],
    reply: 'done',
    reply_cut: true,
    gate: { id: 'g1', trigger: 'completed', reason: '', question: '', at: 1, round: 2, left: 1 },
  });
  const news = viewOf({
    seq: 25,
    after: 20,
    round_count: 3,
    round_rows: [rowOf(2, { end: 'supported' }), rowOf(3)],
  });
  const merged = merge(known, news);
  expect(merged).toEqual({
    ...news,
    after: undefined,
    round_rows: [rowOf(1), rowOf(2, { end: 'supported' }), rowOf(3)],
    records: known.records,
    messages: known.messages,
    reply: 'done',
    reply_cut: true,
  });
  // An absent gate is none: it was answered.
  expect(merged?.gate).toBeUndefined();
});

test('changed records take the place of what was believed, and new ones follow', () => {
  const record = (id: string, mark: string) => ({ id, mark, text: id });
  const known = viewOf({ seq: 1, records: [record('R1', 'pending'), record('R2', 'pending')] });
  const news = viewOf({ seq: 2, after: 1, records: [record('R1', 'completed'), record('F1', 'untrusted')] });
  expect(merge(known, news)?.records).toEqual([
    record('R1', 'completed'),
    record('R2', 'pending'),
    record('F1', 'untrusted'),
  ]);
  expect(merge(viewOf({ seq: 1 }), news)?.records).toEqual(news.records);
});

test('an empty list that is present is news', () => {
  const known = viewOf({ seq: 1, messages: [{ id: 'm', text: 'hello', at: 1 }] });
  expect(merge(known, viewOf({ seq: 2, after: 1, messages: [] }))?.messages).toEqual([]);
});

test.each([
  ['nothing is known', null, viewOf({ after: 5, seq: 6 })],
  ['they are of another moment', viewOf({ seq: 4 }), viewOf({ after: 5, seq: 6 })],
  ['the run went back', viewOf({ seq: 5 }), viewOf({ after: 5, seq: 3 })],
  [
    'a round is missing between',
    viewOf({ seq: 5, round_rows: [rowOf(1)] }),
    viewOf({ after: 5, seq: 9, round_count: 3, round_rows: [rowOf(3)] }),
  ],
])('news do not fit where %s', (_, known, news) => {
  expect(merge(known, news)).toBeNull();
});

test('an untouched row stays the same object', () => {
  const rows = [rowOf(1), rowOf(2)];
  const merged = mergeRows(rows, [rowOf(2, { end: 'failed' })]);
  expect(merged[0]).toBe(rows[0]);
  expect(merged[1]?.end).toBe('failed');
  expect(mergeRows(rows, [])).toBe(rows);
});
