import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { coalesce } from './coalesce';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('the first call works at once and the others become one', async () => {
  const work = vi.fn(() => Promise.resolve());
  const ask = coalesce(work, 100);
  for (let i = 0; i < 5; i++) ask();
  expect(work).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(99);
  expect(work).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(work).toHaveBeenCalledTimes(2);
  await vi.advanceTimersByTimeAsync(1000);
  expect(work).toHaveBeenCalledTimes(2);
});

test('the work never overlaps itself', async () => {
  let at = 0;
  let most = 0;
  const ask = coalesce(async () => {
    most = Math.max(most, ++at);
    await new Promise((done) => setTimeout(done, 500));
    at--;
  }, 10);
  ask();
  await vi.advanceTimersByTimeAsync(200);
  ask();
  await vi.advanceTimersByTimeAsync(2000);
  expect(most).toBe(1);
});

test('a fault does not end it', async () => {
  const work = vi.fn().mockRejectedValueOnce(new Error('once')).mockResolvedValue(undefined);
  const faults: unknown[] = [];
  const ask = coalesce(
    () => (work() as Promise<void>).catch((fault: unknown) => void faults.push(fault)),
    10,
  );
  ask();
  await vi.advanceTimersByTimeAsync(20);
  ask();
  await vi.advanceTimersByTimeAsync(20);
  expect(work).toHaveBeenCalledTimes(2);
  expect(faults).toHaveLength(1);
});
