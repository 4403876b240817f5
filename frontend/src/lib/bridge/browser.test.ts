// jsdom's files hold bytes of another realm, which no decoder takes.
// @vitest-environment node
import { expect, test } from 'vitest';
import { read } from './browser';
import { MAX_TASK } from './face';

const file = (bytes: BlobPart[], name = 'a.md') => new File(bytes, name);

test('a text is read as it is', async () => {
  expect(await read(file(['# 报告\r\n']), false)).toEqual({ name: 'a.md', text: '# 报告\r\n' });
});

test('what is no text, too large, or a folder is refused by a code', async () => {
  expect(await read(file([new Uint8Array([255, 254, 0])]), false)).toEqual({
    name: 'a.md',
    problem: 'not_text',
  });
  expect(await read(file([new Uint8Array(MAX_TASK + 1)]), false)).toEqual({
    name: 'a.md',
    problem: 'too_large',
  });
  expect(await read(file([]), true)).toEqual({ name: 'a.md', folder: true });
  expect(await read(null, false)).toBeNull();
});
