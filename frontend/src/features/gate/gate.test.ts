import { beforeEach, describe, expect, test } from 'vitest';
import type { Gate } from '$lib/bridge';
import { prefs } from '$lib/state/prefs.svelte';
import { summaryOf } from '../../testing';
import { answer, bounded, common, flaw, type Model, model } from './model';
import { asked, fresh, next, PAUSE_MS, rest } from './queue';

beforeEach(() => (prefs.lang = 'en'));

function gateOf(over: Partial<Gate> = {}): Gate {
  return {
    id: 'g1',
    trigger: 'completed',
    reason: 'done.holds',
    question: 'q',
    at: 1,
    round: 7,
    left: 18,
    ...over,
  };
}

const read = (over: Partial<Gate>) => model(gateOf(over), summaryOf());

describe('what a gate offers', () => {
  const cases: [string, Partial<Gate>, Partial<Model>][] = [
    [
      'a result is accepted by the main button',
      {},
      {
        title: 'Task complete — accept the result?',
        mainEnds: true,
        text: 'optional',
        rounds: { first: 0, least: 0 },
      },
    ],
    ['a result with few rounds left offers some', { left: 2 }, { rounds: { first: 3, least: 0 } }],
    [
      'a used up round limit takes at least one more round',
      { trigger: 'max_rounds', reason: 'budget.rounds', left: 0 },
      { title: 'Round limit reached (25)', rounds: { first: 5, least: 1 }, mainEnds: false },
    ],
    [
      'another limit is not about rounds',
      { trigger: 'max_rounds', reason: 'budget.cost', left: 4 },
      { title: 'The cost limit is reached', rounds: null },
    ],
    [
      'a question needs words and is shown as it was asked',
      { trigger: 'needs_input', reason: 'manager.asks' },
      { title: 'The manager asks', text: 'required', verbatim: true, rounds: null },
    ],
    [
      'a blocked manager needs an instruction',
      { trigger: 'needs_human', reason: 'manager.blocked' },
      { title: 'Blocked: needs you', text: 'required', verbatim: true },
    ],
    [
      'a void audit needs none',
      { trigger: 'needs_human', reason: 'audit.void' },
      { title: 'The workspace changed during the audit', text: 'optional' },
    ],
    [
      'failures are counted',
      { trigger: 'repeated_failure', reason: 'failures.streak', details: ['a', 'b', 'c'] },
      { title: '3 rounds in a row failed', text: 'optional' },
    ],
    [
      'no progress has its own name',
      { trigger: 'repeated_failure', reason: 'failures.no_progress' },
      { title: 'Three rounds came to exactly the same' },
    ],
    [
      'a trigger of a newer version asks for words',
      { trigger: 'dream' },
      { text: 'required', verbatim: true },
    ],
  ];
  test.each(cases)('%s', (_, over, wanted) => expect(read(over)).toMatchObject(wanted));
});

describe('an answer', () => {
  const input = read({ trigger: 'needs_input' });
  const limit = read({ trigger: 'max_rounds', reason: 'budget.rounds', left: 0 });

  test('lacks words only where words are needed', () => {
    expect(flaw(input, false, { text: ' \n', rounds: '' })).toBe('text');
    expect(flaw(input, false, { text: 'red', rounds: '' })).toBeNull();
    expect(flaw(input, true, { text: '', rounds: '' })).toBeNull();
    expect(flaw(read({}), false, { text: '', rounds: '' })).toBeNull();
  });

  test.each(['0', '', '-1', '1.5', '10001', 'many', '1e3'])(
    'of %j rounds is none at the round limit',
    (rounds) => {
      expect(flaw(limit, false, { text: '', rounds })).toBe('rounds');
    },
  );

  test('names its gate and carries what is meant, nothing else', () => {
    const gate = gateOf();
    expect(answer(gate, read({}), true, { text: 'x', rounds: '5' })).toEqual({
      kind: 'answer',
      gate: 'g1',
      end: true,
    });
    expect(answer(gate, limit, false, { text: ' more care ', rounds: ' 10 ' })).toEqual({
      kind: 'answer',
      gate: 'g1',
      text: 'more care',
      rounds: 10,
    });
    expect(answer(gate, input, false, { text: 'red', rounds: '9' })).toEqual({
      kind: 'answer',
      gate: 'g1',
      text: 'red',
    });
  });
});

test('a common cause is the same check with the same result each time', () => {
  const failure = { n: 1, ended: 1, why: 'w', check: 'C2', proof: 'Pages: 5' };
  expect(common([failure, { ...failure, n: 2 }])).toEqual({ check: 'C2', proof: 'Pages: 5' });
  expect(common([failure])).toBeNull();
  expect(common([failure, { ...failure, proof: 'Pages: 6' }])).toBeNull();
  expect(
    common([
      { ...failure, check: undefined },
      { ...failure, check: undefined },
    ]),
  ).toBeNull();
});

test('a long question is cut between words, and counted in characters', () => {
  expect(bounded('short', 10)).toEqual({ text: 'short', cut: false });
  expect(bounded('one two three four', 10)).toEqual({ text: 'one two…', cut: true });
  expect(bounded('问'.repeat(12), 10).text).toBe('问'.repeat(10) + '…');
  expect(bounded('😀'.repeat(10), 10).cut).toBe(false);
});

describe('the queue', () => {
  const a = summaryOf({ id: 'a', asked_at: 10 });
  const b = summaryOf({ id: 'b', asked_at: 20 });

  test('the oldest comes first, and what was put off comes no more by itself', () => {
    expect(next([a, b], new Set(), null)).toBe('a');
    expect(next([a, b], new Set([asked(a)]), null)).toBe('b');
    expect(next([a, b], new Set(), 'a')).toBe('b');
    expect(next([a], new Set([asked(a)]), null)).toBeNull();
  });

  test('another question of the same run is a new one', () => {
    const known = new Set([asked(a)]);
    expect(fresh(known, [a, b])).toEqual([b]);
    expect(fresh(known, [{ ...a, asked_at: 11 }])).toHaveLength(1);
  });

  test('a dialog waits until the hands rest', () => {
    expect(rest(0, 1e12)).toBe(0);
    expect(rest(1000, 1200)).toBe(PAUSE_MS - 200);
    // A clock that was set back does not hold it forever.
    expect(rest(9e12, 1000)).toBe(PAUSE_MS);
  });
});
