import { render, screen } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test, vi } from 'vitest';
import type { Start, TaskDraft } from '$lib/bridge';
import { draft } from '$lib/state/draft.svelte';
import { drops } from '$lib/state/drops.svelte';
import { prefs } from '$lib/state/prefs.svelte';
import { router } from '../../router.svelte';
import { inspectionOf, refusal, serve } from '../../testing';
import NewRun from './NewRun.svelte';

const startButton = () => screen.getByRole('button', { name: 'Start run' });

beforeEach(() => {
  prefs.lang = 'en';
  serve({});
  draft.clear();
  drops.taken();
});

test('a dropped file is looked at, and the others are refused by name', async () => {
  serve({ 'POST /api/inspect': (body) => inspectionOf({ name: (body as TaskDraft).name }) });
  render(NewRun);
  drops.take([
    { name: 'q3.md', text: '# Q3' },
    { name: 'data.csv', text: 'a,b' },
    { name: 'folder', folder: true },
  ]);
  expect(await screen.findByText('q3.md')).toBeVisible();
  expect(
    screen.getByText('Only the first file was taken. Attachments do not exist yet: data.csv.'),
  ).toBeVisible();
  expect(screen.getByText(/“folder” is a folder. A browser does not say where it is/)).toBeVisible();
  expect(screen.getByRole('textbox', { name: 'Task text' })).toHaveValue('# Q3');
  await vi.waitFor(() => expect(startButton()).toBeEnabled());
});

test('a problem stands at its line with its fix, and Start says why it is off', async () => {
  serve({
    'POST /api/inspect': () =>
      inspectionOf({
        problems: [
          {
            line: 2,
            severity: 'error',
            code: 'task.key',
            text: 'unknown key "max_rounds"',
            fix: 'write limits.rounds',
          },
        ],
        blockers: [{ code: 'task_problems', text: 'the task has a problem', line: 2 }],
      }),
  });
  render(NewRun);
  drops.take([{ name: 'q3.md', text: '---\nmax_rounds: 25\n---\n# Q3' }]);
  expect(await screen.findByText('Fix: write limits.rounds')).toBeVisible();
  expect(startButton()).toBeDisabled();
  expect(startButton()).toHaveAccessibleDescription('Mend the task first (Line 2)');
  await userEvent.click(screen.getByRole('button', { name: 'Go to line 2' }));
  const text: HTMLTextAreaElement = screen.getByRole('textbox', { name: 'Task text' });
  expect(text).toHaveFocus();
  expect(text.value.slice(text.selectionStart, text.selectionEnd)).toBe('max_rounds: 25');
});

test('what is typed is looked at after a pause, as it then is', async () => {
  const asked = serve({ 'POST /api/inspect': (body) => inspectionOf({ title: (body as TaskDraft).text }) });
  render(NewRun);
  expect(startButton()).toHaveAccessibleDescription('Write or drop a task first.');
  await userEvent.type(screen.getByRole('textbox', { name: 'Task text' }), 'Tidy up');
  await userEvent.type(screen.getByRole('textbox', { name: 'Folder of the workspace' }), '/home/ada/desk');
  await userEvent.type(screen.getByRole('textbox', { name: 'Rounds' }), '5');
  await vi.waitFor(() => expect(startButton()).toBeEnabled());
  expect(asked.at(-1)?.body).toEqual({ text: 'Tidy up', workspace: '/home/ada/desk', rounds: 5 });
  expect(asked.length).toBeLessThan(8);
});

test('a start that got no answer is tried again with the same id, and leads to the run', async () => {
  const ids: string[] = [];
  serve({
    'POST /api/inspect': () => inspectionOf(),
    'POST /api/runs': (body) => {
      ids.push((body as Start).id);
      return ids.length === 1 ? refusal(500, 'internal', 'the disk is full') : { run: 'r42' };
    },
  });
  render(NewRun);
  drops.take([{ name: 'q3.md', text: '# Q3' }]);
  await vi.waitFor(() => expect(startButton()).toBeEnabled());
  await userEvent.click(startButton());
  expect(await screen.findByText('Longwatch had a fault. The disk is full.')).toBeVisible();
  await userEvent.click(startButton());
  await vi.waitFor(() => expect(router.route).toEqual({ screen: 'run', id: 'r42' }));
  expect(ids[0]).toBe(ids[1]);
  expect(draft.empty).toBe(true);
});

test('another task is another start', async () => {
  const ids = new Set<string>();
  serve({
    'POST /api/inspect': () => inspectionOf(),
    'POST /api/runs': (body) => {
      ids.add((body as Start).id);
      return { run: 'r' };
    },
  });
  render(NewRun);
  for (const text of ['# A', '# B']) {
    drops.take([{ name: 't.md', text }]);
    await vi.waitFor(() => expect(startButton()).toBeEnabled());
    await userEvent.click(startButton());
    await vi.waitFor(() => expect(draft.empty).toBe(true));
  }
  expect(ids.size).toBe(2);
});

test('each other blocker is said in words', async () => {
  serve({
    'POST /api/inspect': () =>
      inspectionOf({
        blockers: [
          { code: 'workspace_busy', text: 'run r7 works in it' },
          { code: 'of_tomorrow', text: 'who knows' },
        ],
      }),
  });
  render(NewRun);
  drops.take([{ name: 'q3.md', text: '# Q3' }]);
  expect(await screen.findByText('Another run works in this workspace: run r7 works in it')).toBeVisible();
  expect(screen.getByText('of_tomorrow: who knows')).toBeVisible();
});
