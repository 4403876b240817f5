import { expect, test } from 'vitest';
import { refuse, sort } from './refusal';

function refused(files: Parameters<typeof sort>[0]) {
  const { task, others } = sort(files);
  return { task: task?.name, refusals: refuse(task, others) };
}

test('the first usable file is the task and the rest is refused by name', () => {
  expect(
    refused([
      { name: 'data', folder: true },
      { name: 'a.md', text: 'a' },
      { name: 'b.md', text: 'b' },
      { name: 'c.md', text: 'c' },
    ]),
  ).toEqual({
    task: 'a.md',
    refusals: [
      { kind: 'folder', name: 'data', offer: undefined },
      { kind: 'more', name: 'b.md, c.md' },
    ],
  });
});

test('a folder whose place is known can become the workspace', () => {
  expect(refused([{ name: 'data', folder: true, offer: 'offer-1' }])).toEqual({
    task: undefined,
    refusals: [{ kind: 'folder', name: 'data', offer: 'offer-1' }],
  });
});

test('a file with a problem keeps its reason', () => {
  expect(refused([{ name: 'x.bin', problem: 'not_text' }])).toEqual({
    task: undefined,
    refusals: [{ kind: 'problem', name: 'x.bin', why: 'not_text' }],
  });
});
