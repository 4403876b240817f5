import { describe, expect, test } from 'vitest';
import type { Stage } from '$lib/bridge';
import { rowOf } from '../../testing';
import { cells, price, stopwatch, work } from './stages';

const M = 60_000;

function stage(phase: string, over: Partial<Stage> = {}): Stage {
  return { phase, state: 'done', attempt: 1, began: 0, ended: M, ...over };
}

function brief(...args: Parameters<typeof cells>): string {
  return cells(...args)
    .map((c) => `${c.phase} ${c.state} ${c.tone}${c.ms === undefined ? '' : ` ${stopwatch(c.ms)}`}`)
    .join(', ');
}

describe('the cells of a round', () => {
  test('what is to come follows what was', () => {
    const row = rowOf(1, {
      route: 'cli',
      stages: [stage('plan'), stage('execute', { state: 'running', began: M, ended: undefined })],
    });
    expect(brief(row, null, 7 * M)).toBe(
      'plan done ok 1:00, execute running run 6:00, check todo off, audit todo off',
    );
  });

  test('nothing is to come once the round is closed, and a check that was left out stays out', () => {
    const row = rowOf(1, { closed: 9, stages: [stage('plan'), stage('execute'), stage('audit')] });
    expect(brief(row, null, 0)).toBe('plan done ok 1:00, execute done ok 1:00, audit done ok 1:00');
    expect(brief({ ...row, closed: undefined }, null, 0)).not.toContain('todo');
  });

  test('a round that has not begun has everything to come', () => {
    expect(brief(rowOf(1), null, 0)).toBe('plan todo off, execute todo off, check todo off, audit todo off');
  });

  test('attempts are one cell with their time added, and the last one counts', () => {
    const row = rowOf(1, {
      closed: 9,
      stages: [stage('plan', { state: 'failed' }), stage('plan', { attempt: 2 })],
    });
    expect(brief(row, null, 0)).toBe('plan done ok 2:00');
    expect(cells(row, null, 0)[0]?.attempts).toBe(2);
  });

  test('a failed check is bad, whether or not the phase itself went well', () => {
    const row = rowOf(1, { closed: 9, stages: [stage('check', { passed: 2, failed: 1 }), stage('audit')] });
    expect(brief(row, null, 0)).toBe('check done bad 1:00, audit done ok 1:00');
  });

  test('without a worker nothing runs and no time passes', () => {
    const row = rowOf(1, { stages: [stage('plan', { state: 'running', ended: undefined })] });
    expect(brief(row, 2 * M, 50 * M)).toContain('plan interrupted ask 2:00');
  });

  test.each([
    ['ask', 'plan done ok 1:00'],
    ['blocked', 'plan done ok 1:00'],
    ['wait', 'plan done ok 1:00, probe todo off'],
    ['done', 'plan done ok 1:00, final_check todo off'],
  ])('a plan to %s leads elsewhere', (route, said) => {
    expect(brief(rowOf(1, { route, stages: [stage('plan')] }), null, 0)).toBe(said);
  });

  test('a phase that does not belong to the route ends the guesses', () => {
    const row = rowOf(1, { route: 'cli', stages: [stage('plan'), stage('report')] });
    expect(brief(row, null, 0)).toBe('plan done ok 1:00, report done ok 1:00');
  });
});

test('time and cost of a round are the sums of its phases, and unknown stays unknown', () => {
  const row = rowOf(1, { stages: [stage('plan', { micro_usd: 5 }), stage('execute')] });
  expect([work(row, 0), price(row)]).toEqual([2 * M, 5]);
  expect(price(rowOf(1, { stages: [stage('plan')] }))).toBeUndefined();
});

test.each([
  [-1, '0:00'],
  [41_900, '0:41'],
  [14 * M + 2_000, '14:02'],
  [62 * M + 11_000, '1:02:11'],
])('%d ms is %s', (ms, said) => expect(stopwatch(ms)).toBe(said));
