import { afterEach, describe, expect, test } from 'vitest';
import type { RunSummary } from '$lib/bridge';
import { prefs } from '$lib/state/prefs.svelte';
import { summaryOf } from '../../testing';
import { bytes } from './bytes';
import { cost, count } from './cost';
import { look } from './standing';
import { age, ago, duration } from './time';
import { parts, toneOf } from './verdict';

afterEach(() => (prefs.lang = 'auto'));

const M = 60_000;
const H = 60 * M;

describe('time', () => {
  test.each([
    [0, '0 s'],
    [999, '0 s'],
    [41_000, '41 s'],
    [M + 5_000, '1 m 5 s'],
    [2 * H + 48 * M, '2 h 48 m'],
    [50 * H, '50 h 0 m'],
    [-5, '0 s'],
  ])('a span of %d ms is %j', (ms, said) => {
    expect(duration(ms)).toBe(said);
  });

  test.each([
    [0, 'now'],
    [-9_000, 'now'],
    [3_000, '3 s'],
    [52 * M, '52 m'],
    [5 * H, '5 h'],
    [49 * H, '2 d'],
  ])('%d ms ago is %j', (span, said) => {
    expect(age(1e12 - span, 1e12)).toBe(said);
  });

  test('it speaks the language', () => {
    prefs.lang = 'zh';
    expect(duration(2 * H + 48 * M)).toBe('2 小时 48 分');
    expect(ago(1e12 - 52 * M, 1e12)).toBe('52 分前');
  });
});

describe('cost', () => {
  test.each([
    [undefined, '—'],
    [0, '$0.00'],
    [4_180_000, '$4.18'],
    [1_200, '$0.0012'],
    [1_234_500_000, '$1,234.50'],
  ])('%j is %j', (micro, said) => {
    expect(cost(micro, 'en')).toBe(said);
  });

  test('the dollar stays a dollar in Chinese', () => {
    expect(cost(4_180_000, 'zh')).toBe('$4.18');
    expect(count(12_345, 'zh')).toBe('12,345');
  });
});

test.each([
  [0, '0 B'],
  [1023, '1,023 B'],
  [1434, '1.4 KB'],
  [256 * 1024, '256 KB'],
  [41 * 1024 ** 3, '41 GB'],
])('%d bytes are %j', (n, said) => {
  expect(bytes(n, 'en')).toBe(said);
});

test('a verdict is three words, each with its own tone', () => {
  const verdict = { status: 'complete', integrity: 'suspect', contract: 'invalid', supports: false };
  expect(parts(verdict).map((p) => p.tone)).toEqual(['ok', 'doubt', 'bad']);
  expect(toneOf('status', 'of a newer version')).toBe('off');
});

describe('the look of a run', () => {
  const cases: [string, Partial<RunSummary>, string, string][] = [
    ['a desktop step', { phase: 'execute', surface: 'gui' }, 'Executing', 'gui'],
    ['a shell step', { phase: 'execute', surface: 'cli' }, 'Executing', 'cli'],
    ['an audit', { phase: 'audit' }, 'Auditing', 'audit'],
    ['no phase', {}, 'Working', 'run'],
    ['an unknown phase', { phase: 'dream' }, 'dream', 'run'],
    ['a finished task', { standing: 'needs_you', gate: 'completed' }, 'Accept?', 'flag'],
    ['a question', { standing: 'needs_you', gate: 'needs_input' }, 'Question', 'ask'],
    ['an accepted run', { standing: 'ended', outcome: 'completed' }, 'Accepted', 'ok'],
    ['a run that was ended', { standing: 'ended', outcome: 'incomplete' }, 'Ended', 'bad'],
    ['an end without a word', { standing: 'ended' }, 'Ended', 'stop'],
    ['a lost worker', { standing: 'interrupted' }, 'Interrupted', 'unplug'],
  ];
  test.each(cases)('%s', (_, over, word, icon) => {
    expect(look(summaryOf(over))).toMatchObject({ word, icon });
  });
});
