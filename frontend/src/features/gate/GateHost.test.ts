import { render, screen, waitFor, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Command, Gate, RunView } from '$lib/bridge';
import { gates } from '$lib/state/gates.svelte';
import { prefs } from '$lib/state/prefs.svelte';
import { runs } from '$lib/state/runs.svelte';
import { toasts } from '$lib/state/toasts.svelte';
import { router } from '../../router.svelte';
import { type Asked, refusal, rowOf, serve, summaryOf, viewOf } from '../../testing';
import GateHost from './GateHost.svelte';

const clean = { status: 'complete', integrity: 'clean', contract: 'aligned', supports: true };

function gateOf(over: Partial<Gate> = {}): Gate {
  return {
    id: 'g1',
    trigger: 'needs_input',
    reason: 'manager.asks',
    question: 'Which colour?',
    choices: ['red', 'azure'],
    at: 1,
    round: 2,
    left: 20,
    ...over,
  };
}

function asking(gate: Gate, over: Partial<RunView> = {}): RunView {
  const run = summaryOf({ standing: 'needs_you', gate: gate.trigger, asked_at: gate.at });
  return viewOf({ run, gate, round_count: 0, ...over });
}

/** Opens the dialog over a server that says what it is told to. */
async function ask(view: RunView, answer: (command: Command) => unknown = () => ({ id: 'x', seq: 57 })) {
  let now = view;
  const asked = serve({
    'GET /api/runs': () => ({ runs: [now.run] }),
    [`GET /api/runs/r1`]: () => now,
    [`GET /api/runs/r1?after=${view.seq}&records=changed`]: () => now,
    'POST /api/runs/r1/commands': (body) => answer(body as Command),
  });
  runs.list = [view.run];
  runs.known = true;
  gates.open('r1');
  render(GateHost);
  const dialog = await screen.findByRole('alertdialog');
  return { asked, dialog, user: userEvent.setup(), become: (next: RunView) => (now = next) };
}

const sent = (asked: Asked[]) =>
  asked.filter((one) => one.method === 'POST').map((one) => one.body as Command);
const press = (user: ReturnType<typeof userEvent.setup>, name: string | RegExp) =>
  user.click(screen.getByRole('button', { name }));

beforeEach(() => {
  prefs.lang = 'en';
  toasts.list = [];
  toasts.assertive = '';
  router.go({ screen: 'doctor' });
});
afterEach(() => {
  gates.later();
  runs.list = [];
});

test('a question is answered by a choice, in words, with one effect', async () => {
  const { asked, user } = await ask(asking(gateOf()));
  expect(screen.getByRole('alertdialog', { name: 'The manager asks' })).toBeVisible();
  expect(screen.getByText('Which colour?')).toBeVisible();
  await press(user, 'Send answer');
  expect(sent(asked)).toEqual([]);
  expect(screen.getByText('An answer in words is needed.')).toBeVisible();
  await press(user, 'azure');
  expect(screen.getByRole('textbox', { name: 'Your answer' })).toHaveValue('azure');
  await user.dblClick(screen.getByRole('button', { name: 'Send answer' }));
  await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull());
  expect(sent(asked)).toMatchObject([{ kind: 'answer', gate: 'g1', text: 'azure' }]);
  expect(toasts.list.map((toast) => toast.text)).toEqual(['Your answer is record 57.']);
});

test('a result is shown with what holds and what does not, and accepted', async () => {
  const view = asking(gateOf({ trigger: 'completed', reason: 'done.holds', round: 1, choices: undefined }), {
    reply: 'The report has **4** pages.',
    records: [
      { id: 'R1', mark: 'completed', text: 'four pages', round: 1 },
      { id: 'F1', mark: 'untrusted', text: 'notes may be left out' },
    ],
    round_count: 1,
    round_rows: [
      rowOf(1, {
        verdict: clean,
        stages: [
          { phase: 'final_check', state: 'done', attempt: 1, began: 0, ended: 1, passed: 5 },
          { phase: 'final_audit', state: 'done', attempt: 1, began: 0, ended: 200_000 },
        ],
      }),
    ],
  });
  const { asked, dialog, user } = await ask(view);
  const within_ = within(dialog);
  expect(within_.getByText('4')).toHaveProperty('tagName', 'STRONG');
  expect(within_.getByRole('group', { name: 'Verdict: Complete · Clean · Aligned' })).toBeVisible();
  expect(within_.getByText('5 of 5, run at the end')).toBeVisible();
  expect(within_.getByText('1 of 1, each by an audit')).toBeVisible();
  expect(within_.getByText('supports, in 3 m 20 s')).toBeVisible();
  expect(within_.getByText('1 record is unresolved.')).toBeVisible();
  await press(user, 'Accept result');
  await waitFor(() => expect(sent(asked)).toHaveLength(1));
  expect(sent(asked)).toMatchObject([{ kind: 'answer', gate: 'g1', end: true }]);
});

test('a result that is not enough goes on with an instruction and rounds', async () => {
  const { asked, user } = await ask(asking(gateOf({ trigger: 'completed', reason: 'done.holds', left: 1 })));
  expect(screen.getByRole('textbox', { name: 'More rounds' })).toHaveValue('4');
  await user.type(screen.getByRole('textbox', { name: /what is still missing/ }), 'A second chart.');
  await press(user, 'Keep going');
  await waitFor(() => expect(sent(asked)).toHaveLength(1));
  expect(sent(asked)[0]).toMatchObject({ text: 'A second chart.', rounds: 4 });
  expect(sent(asked)[0]).not.toHaveProperty('end');
});

test('the round limit offers 5, 10 and any number, and says what was reached', async () => {
  const gate = gateOf({ trigger: 'max_rounds', reason: 'budget.rounds', left: 0 });
  const { asked, user } = await ask(
    asking(gate, { records: [{ id: 'R1', mark: 'pending', text: 'four pages', task: true }] }),
  );
  expect(screen.getByRole('alertdialog', { name: 'Round limit reached (25)' })).toBeVisible();
  expect(screen.getByText('four pages')).toBeVisible();
  const rounds = screen.getByRole('textbox', { name: 'More rounds' });
  await user.clear(rounds);
  await user.type(rounds, 'many');
  await press(user, 'Add');
  expect(screen.getByText('A whole number of rounds, at least 1.')).toBeVisible();
  await press(user, 'Add 10 rounds');
  expect(rounds).toHaveValue('10');
  await user.click(screen.getAllByRole('button', { name: 'Add 10 rounds' }).at(-1) as HTMLElement);
  await waitFor(() => expect(sent(asked)).toMatchObject([{ rounds: 10 }]));
});

test('failures stand side by side, and ending needs nothing', async () => {
  const failure = { n: 1, ended: 1, why: 'five pages', check: 'C2', proof: 'Pages: 5', verdict: clean };
  const gate = gateOf({
    trigger: 'repeated_failure',
    reason: 'failures.streak',
    failures: [failure, { ...failure, n: 2 }, { ...failure, n: 3 }],
  });
  const { asked, user } = await ask(asking(gate));
  expect(screen.getByRole('alertdialog', { name: '3 rounds in a row failed' })).toBeVisible();
  expect(screen.getAllByText('five pages')).toHaveLength(3);
  expect(screen.getByText('The same check failed each time with the same result.')).toBeVisible();
  await press(user, 'End run');
  await waitFor(() => expect(sent(asked)).toMatchObject([{ gate: 'g1', end: true }]));
});

test('a blocked run needs an instruction, and a long question is bounded', async () => {
  const question = `Blocked: ${'word '.repeat(600)}the end`;
  const { user } = await ask(asking(gateOf({ trigger: 'needs_human', reason: 'manager.blocked', question })));
  expect(screen.queryByText(/the end$/)).toBeNull();
  await press(user, 'Show all');
  expect(screen.getByText(/the end$/)).toBeVisible();
  await press(user, 'Continue with instruction');
  expect(screen.getByText('An answer in words is needed.')).toBeVisible();
});

describe('somebody else', () => {
  test('was first: that is said, with how, and what was written is kept', async () => {
    const { user } = await ask(asking(gateOf()), () =>
      refusal(409, 'gate_stale', 'this question was answered before: to end, from the cli'),
    );
    await user.type(screen.getByRole('textbox', { name: 'Your answer' }), 'red, please');
    await press(user, 'Send answer');
    const said = await screen.findByRole('alert');
    expect(said).toHaveTextContent('answered before: to end, from the cli');
    expect(said).toHaveTextContent('red, please');
    expect(screen.queryByRole('button', { name: 'Send answer' })).toBeNull();
    await user.click(screen.getAllByRole('button', { name: 'Close' }).at(-1) as HTMLElement);
    await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull());
  });

  test('answers while the dialog is open: it stays and says so', async () => {
    const { become } = await ask(asking(gateOf()));
    become(viewOf({ seq: 11 }));
    const { watched } = await import('$lib/state/watched.svelte');
    watched.of('r1').refresh();
    expect(await screen.findByText('This question was answered elsewhere.')).toBeVisible();
  });
});

test('a refusal is said in its own words and can be mended', async () => {
  const { user } = await ask(asking(gateOf()), () => ({ id: 'x', refused: 'the words are too long' }));
  await press(user, 'red');
  await press(user, 'Send answer');
  expect(await screen.findByText('the words are too long')).toBeVisible();
  expect(screen.getByRole('button', { name: 'Send answer' })).toBeEnabled();
});

test('an answer that may not have arrived is sent again under the same id', async () => {
  let lost = true;
  const { asked, user } = await ask(asking(gateOf()), () => {
    if (lost) throw new Error('no line');
    return { id: 'x', seq: 9 };
  });
  await press(user, 'red');
  await press(user, 'Send answer');
  expect(await screen.findByText(/Sending it again has no second effect/)).toBeVisible();
  lost = false;
  await press(user, 'Send answer');
  await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull());
  const [first, second] = sent(asked);
  expect(second?.id).toBe(first?.id);
});

test('Escape puts a question off, and it does not come up by itself again', async () => {
  const view = asking(gateOf());
  const { user } = await ask(view);
  router.go({ screen: 'run', id: 'r1' });
  await user.keyboard('{Escape}');
  await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull());
  runs.list = [...runs.list];
  await new Promise((done) => setTimeout(done, 50));
  expect(screen.queryByRole('alertdialog')).toBeNull();
  gates.open('r1');
  expect(await screen.findByRole('alertdialog')).toBeVisible();
});

test('on the screen of its run a question comes by itself, elsewhere it is only said', async () => {
  const view = asking(gateOf({ at: 7 }));
  serve({ 'GET /api/runs': () => ({ runs: [view.run] }), 'GET /api/runs/r1': () => view });
  runs.list = [];
  runs.known = true;
  render(GateHost);
  runs.list = [view.run];
  await waitFor(() => expect(toasts.assertive).toContain('“Quarterly report” needs you'));
  expect(screen.queryByRole('alertdialog')).toBeNull();
  router.go({ screen: 'run', id: 'r1' });
  expect(await screen.findByRole('alertdialog')).toBeVisible();
  // Nothing in it is pressed by a key that was meant for something else.
  await waitFor(() => expect(screen.getByRole('alertdialog')).toHaveFocus());
  router.go({ screen: 'doctor' });
  await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull());
});

test('a question that the list knows of first is waited for', async () => {
  const view = asking(gateOf());
  let reads = 0;
  serve({
    'GET /api/runs': () => ({ runs: [view.run] }),
    'GET /api/runs/r1': () => (++reads < 2 ? { ...view, gate: undefined } : view),
    'GET /api/runs/r1?after=10&records=changed': () => ({ ...view, seq: 11 }),
  });
  runs.list = [view.run];
  gates.open('r1');
  render(GateHost);
  expect(await screen.findByRole('alertdialog', { name: 'The manager asks' })).toBeVisible();
});
