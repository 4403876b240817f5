import { expect, test } from 'vitest';
import type { Standing } from '$lib/bridge';
import { summaryOf } from '../../testing';
import { group, part, pick } from './group';

const ids = (runs: { id: string }[]) => runs.map((r) => r.id).join(' ');

test('questions come first by age, the others by their last change', () => {
  const g = group([
    summaryOf({ id: 'late', standing: 'needs_you', asked_at: 50 }),
    summaryOf({ id: 'early', standing: 'needs_you', asked_at: 10 }),
    summaryOf({ id: 'old', changed_at: 1 }),
    summaryOf({ id: 'new', changed_at: 9 }),
    summaryOf({ id: 'done', standing: 'ended' }),
  ]);
  expect([ids(g.needs), ids(g.running), ids(g.finished)]).toEqual(['early late', 'new old', 'done']);
});

test('every standing has a place', () => {
  const places: Record<Standing, string> = {
    new: 'running',
    working: 'running',
    waiting: 'running',
    paused: 'running',
    interrupted: 'running',
    broken: 'running',
    needs_you: 'needs',
    ended: 'finished',
  };
  for (const [standing, place] of Object.entries(places)) {
    expect(part(summaryOf({ standing: standing as Standing })), standing).toBe(place);
  }
});

test('a search wants all of its words, anywhere', () => {
  const g = group([
    summaryOf({ id: 'a', title: 'Invoice import' }),
    summaryOf({ id: 'b', title: 'Report', reason: 'which invoice?', standing: 'needs_you' }),
    summaryOf({ id: 'c', title: 'Other', standing: 'ended' }),
  ]);
  const left = pick(g, 'all', ' INVOICE ');
  expect([ids(left.needs), ids(left.running), ids(left.finished)]).toEqual(['b', 'a', '']);
  expect(ids(pick(g, 'all', 'invoice import').running)).toBe('a');
  expect(ids(pick(g, 'needs', 'invoice').running)).toBe('');
});
