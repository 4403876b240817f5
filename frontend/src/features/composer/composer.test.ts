import { expect, test } from 'vitest';
import { type Command, Failed } from '$lib/bridge';
import { fate, unread } from './messages';
import { Once } from './once';

test('a message waits for the next plan and then says whose it was', () => {
  const message = { id: 'm', text: 'hello', at: 1 };
  expect(fate(message, 7, false)).toEqual({ kind: 'waits', round: 8 });
  expect(fate(message, 0, false)).toEqual({ kind: 'waits', round: 1 });
  expect(fate({ ...message, used_by: 8 }, 9, false)).toEqual({ kind: 'used', round: 8 });
  expect(unread([message, { ...message, used_by: 2 }])).toBe(1);
});

const wish = { kind: 'send', text: 'hello' };

test('a wish whose fate is unknown keeps its id, and one that was answered does not', async () => {
  const once = new Once();
  const ids: string[] = [];
  const keep = (command: Command) => {
    ids.push(command.id);
    return Promise.resolve('seen');
  };
  const lost = (command: Command) => {
    ids.push(command.id);
    return Promise.reject(new Failed({ code: 'unreachable', message: '' }));
  };
  await expect(once.send(wish, lost)).rejects.toThrow();
  await expect(once.send(wish, lost)).rejects.toThrow();
  await once.send(wish, keep);
  await once.send(wish, keep);
  expect(ids[0]).toMatch(/^p[0-9a-f]{24}$/);
  expect(ids).toEqual([ids[0], ids[0], ids[0], ids[3]]);
  expect(ids[3]).not.toBe(ids[0]);
});

test('a refusal is an answer, and other words are another wish', async () => {
  const once = new Once();
  const ids: string[] = [];
  const refuse = (command: Command) => {
    ids.push(command.id);
    return Promise.reject(new Failed({ code: 'refused', message: '' }));
  };
  await expect(once.send(wish, refuse)).rejects.toThrow();
  await expect(once.send(wish, refuse)).rejects.toThrow();
  await expect(once.send({ ...wish, text: 'other' }, refuse)).rejects.toThrow();
  expect(new Set(ids).size).toBe(3);
});
