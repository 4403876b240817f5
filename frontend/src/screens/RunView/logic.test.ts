import { beforeEach, describe, expect, test } from 'vitest';
import { prefs } from '$lib/state/prefs.svelte';
import { rowOf, summaryOf, viewOf } from '../../testing';
import { news } from './announce';
import { meters } from './budgets';
import { can } from './can';
import { since, why } from './why';

beforeEach(() => (prefs.lang = 'en'));

const at = Date.UTC(2026, 0, 1, 12);
const H = 3_600_000;

describe('why now', () => {
  const cases: [string, Record<string, string> | undefined, string][] = [
    ['phase_runs', { phase: 'audit', round: '7', agent: 'codex' }, 'Auditing, round 7, by codex'],
    [
      'phase_runs',
      { phase: 'plan', round: '7', attempt: '2', pausing: 'true' },
      'Planning, round 7 · attempt 2 · pauses after this phase',
    ],
    ['between_phases', undefined, 'deciding what comes next'],
    ['gate_open', { trigger: 'needs_input' }, 'asks you: the manager has a question'],
    [
      'probe',
      { until: 'file a exists', looked: '3' },
      'waits until file a exists; no model calls · looked 3 times',
    ],
    ['paused', undefined, 'paused by you; nothing starts'],
    ['stopping', { phase: 'execute' }, 'stopping when this phase is finished'],
    ['stopping', { abort: 'true' }, 'aborting'],
    ['ended', { outcome: 'stopped', reason: 'as asked' }, 'Stopped · as asked'],
    ['worker_gone', { since: `${at - 2 * H}` }, 'no worker since 2 h 0 m ago; nothing resumes by itself'],
    [
      'newer_version',
      { kind: 'dreamt' },
      'a newer Longwatch wrote a record (dreamt) that this one does not know',
    ],
    ['of a newer version', undefined, 'of a newer version'],
  ];
  test.each(cases)('%s %j', (code, facts, said) => expect(why({ code, facts }, at, 'en')).toBe(said));

  test('every code has words in Chinese too', () => {
    prefs.lang = 'zh';
    for (const [code, facts] of cases.slice(0, -1))
      expect(why({ code, facts }, at, 'zh')).toMatch(/\p{Script=Han}/u);
  });
});

test('time stands still from when nobody was at work', () => {
  expect(since(viewOf())).toBeNull();
  expect(since(viewOf({ worker: { alive: false }, run: summaryOf({ standing: 'working' }) }))).toBeNull();
  const gone = viewOf({
    worker: { alive: false, beat_at: 5000 },
    run: summaryOf({ standing: 'interrupted' }),
  });
  expect(since(gone)).toBe(5000);
});

describe('what is told to who listens', () => {
  const before = viewOf({ round_rows: [rowOf(1)] });
  test('the beginning and the end of a round, and nothing else', () => {
    const verdict = { status: 'complete', integrity: 'clean', contract: 'aligned', supports: true };
    expect(news(null, before)).toBe('');
    expect(news(before, { ...before, seq: 11 })).toBe('');
    expect(news(before, { ...before, round_rows: [rowOf(1, { changes: 3 })] })).toBe('');
    expect(news(before, { ...before, round_rows: [rowOf(1, { end: 'supported', verdict }), rowOf(2)] })).toBe(
      'Round 1: Complete, Clean, Aligned. Round 2 began.',
    );
  });
  test('that a question was answered and that the run has ended', () => {
    const gate = { id: 'g', trigger: 'completed', reason: '', question: '', at: 1, round: 1, left: 1 };
    const ended = viewOf({ run: summaryOf({ standing: 'ended', outcome: 'completed' }) });
    expect(news({ ...before, gate }, { ...ended, round_rows: before.round_rows })).toBe(
      'The question was answered. The run has ended: Accepted.',
    );
  });
});

test('budgets are told in their own units, and are never beyond their bar', () => {
  expect(
    meters(
      [
        { name: 'rounds', used: 30, limit: 25, noted: true },
        { name: 'active_ms', used: 101 * 60_000, limit: 6 * H },
        { name: 'micro_usd', limit: 20_000_000 },
        { name: 'tokens', used: 1_630_000 },
        { name: 'deadline', limit: at },
        { name: 'wishes', used: 1, limit: 3 },
      ],
      'en',
    ).map((meter) => [meter.name, meter.used, meter.limit, meter.percent]),
  ).toEqual([
    ['Rounds', '30', '25', 100],
    ['Active time', '1 h 41 m', '6 h', 28],
    ['Cost', '—', '$20.00', null],
    ['Tokens', '1.63M', '', null],
    ['Deadline', '', expect.stringContaining('2026'), null],
    ['wishes', '1', '3', 33],
  ]);
});

describe('what may be asked', () => {
  const asked = (over: Parameters<typeof viewOf>[0]) =>
    Object.entries(can(viewOf(over)))
      .filter(([, may]) => may)
      .map(([name]) => name);
  test.each([
    ['working', {}, ['message', 'pause', 'stop']],
    ['working', { stopping: true }, ['stop']],
    ['working', { why: { code: 'phase_runs', facts: { pausing: 'true' } } }, ['message', 'resume', 'stop']],
    ['paused', {}, ['message', 'resume', 'stop', 'remove']],
    ['needs_you', {}, ['message', 'stop', 'answer']],
    ['interrupted', {}, ['message', 'stop', 'remove']],
    ['ended', {}, ['remove', 'follow']],
    ['broken', {}, ['remove']],
  ] as const)('of a run that is %s %j', (standing, over, may) => {
    expect(asked({ run: summaryOf({ standing }), ...over })).toEqual(may);
  });
});
