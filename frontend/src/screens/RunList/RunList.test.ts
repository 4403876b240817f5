import { render, screen, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test, vi } from 'vitest';
import type { RunSummary } from '$lib/bridge';
import { about } from '$lib/state/about.svelte';
import { gates } from '$lib/state/gates.svelte';
import { prefs } from '$lib/state/prefs.svelte';
import { runs } from '$lib/state/runs.svelte';
import { toasts } from '$lib/state/toasts.svelte';
import { refusal, serve, summaryOf } from '../../testing';
import RunList from './RunList.svelte';

const clean = { status: 'complete', integrity: 'clean', contract: 'aligned', supports: true };

function show(list: RunSummary[], more: Parameters<typeof serve>[0] = {}) {
  const asked = serve({ 'GET /api/runs': () => ({ runs: list }), ...more });
  runs.list = list;
  runs.known = true;
  render(RunList, { show: 'all', onkeys: vi.fn() });
  return asked;
}

beforeEach(() => {
  prefs.lang = 'en';
  prefs.letters = true;
  gates.later();
  toasts.list = [];
  about.known = null;
});

test('questions stand first, the oldest on top, and are answered from the list', async () => {
  show([
    summaryOf({ id: 'w', title: 'At work', phase: 'audit', verdict: clean }),
    summaryOf({ id: 'q2', title: 'Newer', standing: 'needs_you', gate: 'completed', asked_at: 20 }),
    summaryOf({
      id: 'q1',
      title: 'Older',
      standing: 'needs_you',
      gate: 'needs_input',
      asked_at: 10,
      reason: 'Which one?',
    }),
  ]);
  const lists = screen.getAllByRole('list', { name: /^Runs: / });
  expect(
    lists.map((list) =>
      within(list)
        .getAllByRole('link')
        .map((a) => a.textContent),
    ),
  ).toEqual([['Older', 'Newer'], ['At work']]);
  expect(screen.getByText('Which one?')).toBeVisible();
  expect(screen.getByRole('group', { name: 'Verdict: Complete · Clean · Aligned' })).toBeVisible();
  await userEvent.click(screen.getByRole('button', { name: 'Answer: Older' }));
  expect(gates.shown).toBe('q1');
  expect(screen.getByRole('button', { name: 'Review result: Newer' })).toBeVisible();
});

test('arrow keys and letters go from row to row and stop at the ends', async () => {
  show([
    summaryOf({ id: 'a', title: 'First', changed_at: 9 }),
    summaryOf({ id: 'b', title: 'Second', changed_at: 1 }),
  ]);
  const user = userEvent.setup();
  await user.keyboard('j');
  expect(screen.getByRole('link', { name: 'First' })).toHaveFocus();
  await user.keyboard('{ArrowDown}{ArrowDown}');
  expect(screen.getByRole('link', { name: 'Second' })).toHaveFocus();
  await user.keyboard('kk');
  expect(screen.getByRole('link', { name: 'First' })).toHaveFocus();
});

test('letters are text while a field has the focus, and nothing when switched off', async () => {
  show([summaryOf({ title: 'Jolly jam' }), summaryOf({ id: 'x', title: 'Other' })]);
  const user = userEvent.setup();
  await user.keyboard('/');
  const search = screen.getByRole('searchbox', { name: 'Search runs' });
  expect(search).toHaveFocus();
  await user.keyboard('jam');
  expect(search).toHaveValue('jam');
  expect(screen.queryByRole('link', { name: 'Other' })).toBeNull();
  search.blur();
  prefs.letters = false;
  await user.keyboard('j');
  expect(screen.getByRole('link', { name: 'Jolly jam' })).not.toHaveFocus();
});

test('an interrupted run is resumed by one command with an id', async () => {
  const asked = show([summaryOf({ id: 'r9', title: 'Lost', standing: 'interrupted' })], {
    'POST /api/runs/r9/commands': (body) => ({ id: (body as { id: string }).id, seq: 4 }),
  });
  await userEvent.click(screen.getByRole('button', { name: 'Resume: Lost' }));
  await vi.waitFor(() => expect(asked.some((a) => a.path === '/api/runs')).toBe(true));
  const commands = asked.filter((a) => a.path.endsWith('/commands'));
  expect(commands).toEqual([
    {
      method: 'POST',
      path: '/api/runs/r9/commands',
      body: { kind: 'resume', id: expect.stringMatching(/^[a-z0-9]{8,64}$/) as string },
    },
  ]);
});

test('deleting asks by name first and says what the server refused', async () => {
  const asked = show([summaryOf({ id: 'e', title: 'Old report', standing: 'ended', outcome: 'completed' })], {
    'DELETE /api/runs/e': () => refusal(409, 'busy', 'the run is being exported'),
  });
  await userEvent.click(screen.getByRole('button', { name: 'Delete: Old report' }));
  const dialog = await screen.findByRole('alertdialog', { name: 'Delete this run?' });
  expect(dialog).toHaveTextContent('“Old report”');
  expect(asked.filter((a) => a.method !== 'GET')).toEqual([]);
  await userEvent.click(within(dialog).getByRole('button', { name: 'Delete' }));
  await vi.waitFor(() =>
    expect(toasts.list.map((toast) => toast.text)).toEqual([
      'This run is at work. The run is being exported.',
    ]),
  );
});

test('a run at work cannot be deleted', () => {
  show([summaryOf({ title: 'Busy' })]);
  expect(screen.queryByRole('button', { name: 'Delete: Busy' })).toBeNull();
});

test('a run that cannot be read says why', () => {
  show([summaryOf({ standing: 'broken', problem: 'record 7 is not as written' })]);
  expect(screen.getByText('Its records cannot be read: record 7 is not as written')).toBeVisible();
  expect(screen.getByText('Unreadable')).toBeVisible();
});

test('without runs there is a place to begin, with the sample where there is one', () => {
  about.known = { version: '1', home: '/state', face: 'browser', sample: true };
  show([]);
  expect(screen.getByRole('heading', { name: 'Drop a task file here' })).toBeVisible();
  expect(screen.getByRole('button', { name: 'Try the sample task' })).toBeEnabled();
  expect(screen.getByText(/up to 256 KB/)).toBeVisible();
});

test('it speaks Chinese', () => {
  prefs.lang = 'zh';
  show([summaryOf({ phase: 'plan' })]);
  expect(screen.getByText('计划')).toBeVisible();
  expect(screen.getByText('还没有结论')).toBeVisible();
});
