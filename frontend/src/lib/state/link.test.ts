import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { refusal, serve } from '../../testing';
import { link } from './link.svelte';

/** Feeds are the event sources that the page has opened; a test plays the server. */
class Source {
  static all: Source[] = [];
  onopen = () => {};
  onerror = () => {};
  onmessage = (_: { data: string }) => {};
  closed = false;
  constructor() {
    Source.all.push(this);
  }
  addEventListener() {}
  close() {
    this.closed = true;
  }
}
const newest = () => Source.all.at(-1) as Source;

beforeEach(() => {
  vi.useFakeTimers();
  Source.all = [];
  globalThis.EventSource = Source as unknown as typeof EventSource;
});
afterEach(() => {
  link.signedOut();
  vi.useRealTimers();
});

test('changes are passed on, and after a break all is read again', async () => {
  serve({ 'GET /api/about': () => Promise.reject(new TypeError('refused')) as never });
  const heard: string[] = [];
  const stop = link.hear({
    changed: (c) => heard.push(`${c.run}@${c.seq}`),
    missed: () => heard.push('missed'),
  });
  link.begin();
  newest().onopen();
  newest().onmessage({ data: '{"run":"r1","seq":4}' });
  expect([link.standing, ...heard]).toEqual(['live', 'missed', 'r1@4']);

  globalThis.fetch = () => Promise.reject(new TypeError('refused'));
  newest().onerror();
  await vi.advanceTimersByTimeAsync(0);
  expect(link.standing).toBe('unreachable');
  expect(Source.all).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(250);
  expect(Source.all).toHaveLength(2);
  newest().onopen();
  expect([link.standing, heard.at(-1)]).toEqual(['live', 'missed']);
  stop();
});

test('the tries grow rarer, never more than three seconds apart', async () => {
  globalThis.fetch = () => Promise.reject(new TypeError('refused'));
  link.begin();
  for (let i = 0; i < 8; i++) {
    newest().onerror();
    await vi.advanceTimersByTimeAsync(3000);
  }
  expect(Source.all).toHaveLength(9);
});

test('signed out, nothing is tried any more until somebody signs in', async () => {
  serve({ 'GET /api/about': () => refusal(401, 'signed_out', 'no cookie') });
  link.begin();
  newest().onerror();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(link.standing).toBe('signed_out');
  expect(Source.all).toHaveLength(1);
  link.begin();
  expect(Source.all).toHaveLength(2);
  expect(link.standing).toBe('connecting');
});
