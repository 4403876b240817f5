import { render, screen, waitFor, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Command, RoundRow, RunView as View } from '$lib/bridge';
import { prefs } from '$lib/state/prefs.svelte';
import { toasts } from '$lib/state/toasts.svelte';
import { router } from '../../router.svelte';
import { refusal, rowOf, serve, summaryOf, viewOf } from '../../testing';
import RunStatus from './RunStatus.svelte';
import RunView from './RunView.svelte';

const M = 60_000;
const clean = { status: 'complete', integrity: 'clean', contract: 'aligned', supports: true };
const open = { status: 'incomplete', integrity: 'clean', contract: 'aligned', supports: false };

function working(): RoundRow[] {
  const began = Date.now() - 6 * M - 500;
  return [
    rowOf(1, {
      route: 'cli',
      end: 'unsupported',
      closed: 27 * M,
      began: 0,
      verdict: open,
      said: clean,
      lowered: ['check C2 failed', 'a blocking constraint'],
      stages: [
        { phase: 'plan', state: 'done', attempt: 1, began: 0, ended: 2 * M },
        { phase: 'execute', state: 'done', attempt: 1, began: 2 * M, ended: 27 * M, micro_usd: 1_100_000 },
      ],
    }),
    rowOf(2, {
      route: 'gui',
      began,
      stages: [{ phase: 'execute', state: 'running', attempt: 1, began }],
    }),
  ];
}

let ids = 0;

/** Shows a run that says what it is told to; each test has a run of its own. */
async function show(over: Partial<View> = {}, more: Parameters<typeof serve>[0] = {}) {
  const id = `t${++ids}`;
  const rows = over.round_rows ?? working();
  const view = viewOf({
    round_rows: rows,
    round_count: rows.length,
    why: { code: 'phase_runs', facts: { phase: 'execute', round: '2', agent: 'claude' } },
    ...over,
    run: summaryOf({ id, phase: 'execute', surface: 'gui', ...over.run }),
  });
  view.run.id = id;
  const asked = serve({
    [`GET /api/runs/${id}`]: () => view,
    [`GET /api/runs/${id}?after=${view.seq}&records=changed`]: () => ({
      ...view,
      after: view.seq,
      round_rows: [],
    }),
    [`POST /api/runs/${id}/commands`]: () => ({ id: 'x', seq: 5 }),
    ...Object.fromEntries(
      rows.map((row) => [`GET /api/runs/${id}/rounds/${row.n}`, () => ({ row, task: `task of ${row.n}` })]),
    ),
    ...more,
  });
  router.go({ screen: 'run', id });
  render(RunView, { id });
  return { id, asked, view, user: userEvent.setup() };
}

const commands = (asked: { method: string; body: unknown }[]) =>
  asked.filter((one) => one.method === 'POST').map((one) => one.body as Command);

beforeEach(() => {
  prefs.lang = 'en';
  prefs.letters = true;
  toasts.list = [];
  toasts.polite = '';
});

describe('a run at work', () => {
  test('is a list of rounds with names for who listens, the newest one selected', async () => {
    await show();
    const list = await screen.findByRole('list', { name: 'Rounds' });
    const names = within(list)
      .getAllByRole('button')
      .map((button) => button.getAttribute('aria-label'));
    expect(names).toEqual([
      'Round 1, incomplete, clean, aligned, 27 minutes, lowered from complete',
      'Round 2, executing, 6 minutes',
    ]);
    expect(within(list).getByText('Lowered from Complete:')).toBeVisible();
    expect(within(list).getByText('27 m 0 s · $1.10')).toBeVisible();
    expect(within(list).getByRole('button', { name: /^Round 2/ })).toHaveAttribute('aria-current', 'true');
    expect(await screen.findByText('task of 2')).toBeVisible();
    expect(screen.getByText('no verdict yet')).toBeVisible();
  });

  test('keys go from round to round, Enter opens one, and the newest is not followed then', async () => {
    const { id, user } = await show();
    await screen.findByText('task of 2');
    await user.keyboard('k');
    const first = screen.getByRole('button', { name: /^Round 1,/ });
    await waitFor(() => expect(first).toHaveFocus());
    expect(await screen.findByText('task of 1')).toBeVisible();
    expect(screen.getByRole('button', { name: 'Follow latest' })).toHaveAttribute('aria-pressed', 'false');
    await user.keyboard('{Enter}');
    expect(router.route).toEqual({ screen: 'run', id, round: 1 });
  });

  test('shows its budgets, and what nobody knows as a dash', async () => {
    await show({
      budgets: [
        { name: 'rounds', used: 20, limit: 25, noted: true },
        { name: 'micro_usd', limit: 20_000_000 },
        { name: 'tokens' },
      ],
    });
    const budgets = await screen.findByRole('list', { name: 'Budgets' });
    expect(within(budgets).getByRole('img', { name: 'Rounds 80 %' })).toBeVisible();
    expect(within(budgets).getByText('Rounds, 80 % notice')).toBeVisible();
    expect(budgets).toHaveTextContent('— / $20.00');
  });

  test('is paused at once, and can be stopped', async () => {
    const { asked, user } = await show();
    await user.click(await screen.findByRole('button', { name: 'Pause' }));
    await waitFor(() => expect(commands(asked)).toMatchObject([{ kind: 'pause' }]));
    expect(screen.getByRole('button', { name: /^Stop/ })).toBeVisible();
  });

  test('a message is written by key, sent once, and its fate is said', async () => {
    const messages = [
      { id: 'a', text: 'Use blue.', at: 1, used_by: 1 },
      { id: 'b', text: 'Use red.', at: 2 },
    ];
    const { asked, user } = await show({ messages });
    await screen.findByText('1 message waits');
    await user.keyboard('m');
    const list = screen.getByRole('list', { name: 'Messages to this run' });
    expect(within(list).getByText(/used in round 1/)).toBeVisible();
    expect(within(list).getByText(/will be read before round 3/)).toBeVisible();
    await user.type(screen.getByRole('textbox', { name: 'Message to the run' }), 'Hello');
    await user.keyboard('{Control>}{Enter}{/Control}');
    await waitFor(() => expect(commands(asked)).toMatchObject([{ kind: 'send', text: 'Hello' }]));
  });

  test('a refused wish is said with its reason', async () => {
    const { user } = await show({}, {});
    const pause = await screen.findByRole('button', { name: 'Pause' });
    serve({});
    await user.click(pause);
    await waitFor(() => expect(toasts.list.at(-1)?.trouble).toBe(true));
  });
});

describe('a run in trouble', () => {
  test('without its worker says during what it ended, and stands still', async () => {
    const { asked, user } = await show({
      run: summaryOf({ standing: 'interrupted', phase: 'execute' }),
      worker: { alive: false, ended: 'killed' },
      why: { code: 'worker_gone', facts: { since: '1' } },
    });
    expect(await screen.findByText('The worker ended during Execute.')).toBeVisible();
    expect(screen.getByText(/Nothing resumes by itself/)).toBeVisible();
    expect(screen.getByRole('button', { name: /^Round 2, interrupted/ })).toBeVisible();
    await user.click(screen.getByRole('button', { name: 'Resume' }));
    await waitFor(() => expect(commands(asked)).toMatchObject([{ kind: 'resume' }]));
  });

  test('with broken records asks nothing of it', async () => {
    await show({
      run: summaryOf({ standing: 'broken', problem: 'record 9 is not as written' }),
      sealed: { to: 5, problem: 'record 9 is not as written' },
    });
    expect(await screen.findByText(/are not as they were written/)).toBeVisible();
    expect(screen.getByText(/record 9 is not as written/)).toBeVisible();
    for (const name of ['Message', 'Pause', /^Stop/])
      expect(screen.queryByRole('button', { name })).toBeNull();
    expect(screen.getByRole('button', { name: 'Delete…' })).toBeVisible();
  });

  test('that is not there says so', async () => {
    serve({});
    render(RunView, { id: 'nobody' });
    expect(await screen.findByRole('heading', { name: 'This run is gone' })).toBeVisible();
    expect(screen.getByRole('link', { name: 'To the runs' })).toHaveAttribute('href', '#/runs');
  });

  test('that cannot be read says what the server said', async () => {
    serve({ 'GET /api/runs/unread': () => refusal(422, 'unreadable', 'the ledger is cut') });
    render(RunView, { id: 'unread' });
    expect(await screen.findByText(/The ledger is cut/)).toBeVisible();
  });
});

test('a run that ended shows its outcome and reply as text, and goes on with words', async () => {
  const { asked, user } = await show({
    run: summaryOf({ standing: 'ended', outcome: 'completed', reason: 'accepted', round: 25, rounds: 25 }),
    worker: { alive: false },
    reply: '# Done\n\n<img src=x onerror=alert(1)>\n\n- one',
    why: { code: 'ended' },
  });
  expect(await screen.findByRole('heading', { name: 'Accepted' })).toBeVisible();
  expect(screen.getByText('<img src=x onerror=alert(1)>')).toBeVisible();
  expect(document.querySelector('main img, [onerror]')).toBeNull();
  const go = screen.getByRole('button', { name: 'Go on' });
  expect(go).toBeDisabled();
  await user.type(screen.getByRole('textbox', { name: 'Go on with…' }), 'Add a chart.');
  await user.click(go);
  await waitFor(() =>
    expect(commands(asked)).toMatchObject([{ kind: 'resume', text: 'Add a chart.', rounds: 5 }]),
  );
  expect(screen.queryByRole('button', { name: 'Message' })).toBeNull();
});

test('a round has a screen of its own, with its facts beside what was said', async () => {
  const { id, view } = await show();
  await screen.findByRole('list', { name: 'Rounds' });
  document.body.replaceChildren();
  serve({
    [`GET /api/runs/${id}`]: () => view,
    [`GET /api/runs/${id}/rounds/1`]: () => ({
      row: view.round_rows[0],
      task: 'Insert the chart',
      checks: [{ check: 'file a exists', status: 'fail', proof: 'not there', ms: 1 }],
      hidden_failed: 1,
      audit: { text: 'Status: complete', digest: 'ab', size: 16 },
      changed: [{ during: 'execute', count: 9, first: [{ path: 'a.txt', what: 'added', kind: 'file' }] }],
    }),
  });
  render(RunView, { id, round: 1, tab: 'audit' });
  expect(await screen.findByText('Lowered from “Complete” to “Incomplete”.')).toBeVisible();
  expect(screen.getByText('Status: complete')).toBeVisible();
  const facts = screen.getByRole('complementary', { name: 'Facts of the round' });
  expect(within(facts).getByText('not there')).toBeVisible();
  expect(within(facts).getByText('1 check failed, kept from the agents')).toBeVisible();
  expect(within(facts).getByText('and 8 more')).toBeVisible();
  await userEvent.setup().keyboard('1');
  expect(router.route).toMatchObject({ round: 1, tab: 'plan' });
});

test('the line below says who is alive, how fresh it is, and why now', async () => {
  const { link } = await import('$lib/state/link.svelte');
  link.standing = 'live';
  const { id } = await show({ seq: 214, sealed: { to: 209 } });
  await screen.findByRole('list', { name: 'Rounds' });
  render(RunStatus, { id });
  await waitFor(() =>
    expect(screen.getByRole('contentinfo')).toHaveTextContent(
      /Worker alive.*record 214.*Why now.*Executing, round 2, by claude.*Ledger sealed to 209/,
    ),
  );
});
