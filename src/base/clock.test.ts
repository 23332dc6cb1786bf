import { afterEach, expect, test, vi } from 'vitest';
import { systemClock } from './clock.ts';

const DAY_MS = 86_400_000;

afterEach(() => void vi.useRealTimers());

test('a time beyond what a timer of the machine takes does not end at once', async () => {
  const stop = new AbortController();
  const long = systemClock.sleep(60 * DAY_MS, stop.signal).then(
    () => 'over',
    () => 'stopped',
  );
  let fired = 0;
  using _after = systemClock.after(60 * DAY_MS, () => fired++);
  using _every = systemClock.every(60 * DAY_MS, () => fired++);
  // One that fires at once fires before this one.
  await systemClock.sleep(20);
  stop.abort();
  expect(await long).toBe('stopped');
  expect(fired).toBe(0);
});

test('it ends when it is over, in as many steps as it takes, and can be stopped in any of them', async () => {
  vi.useFakeTimers();
  const ends: string[] = [];
  void systemClock.sleep(60 * DAY_MS).then(() => ends.push('sleep'));
  using _after = systemClock.after(60 * DAY_MS, () => ends.push('after'));
  using _every = systemClock.every(30 * DAY_MS, () => ends.push('every'));
  const stopped = systemClock.after(60 * DAY_MS, () => ends.push('stopped'));
  await vi.advanceTimersByTimeAsync(29 * DAY_MS);
  expect(ends).toEqual([]);
  stopped[Symbol.dispose]();
  await vi.advanceTimersByTimeAsync(30 * DAY_MS);
  expect(ends).toEqual(['every']);
  await vi.advanceTimersByTimeAsync(DAY_MS);
  expect(ends.toSorted()).toEqual(['after', 'every', 'every', 'sleep']);
});

test('short times are as they were, and a sleep that was told to end says why', async () => {
  const stop = new AbortController();
  const sleeping = systemClock.sleep(DAY_MS, stop.signal);
  stop.abort('enough');
  await expect(sleeping).rejects.toBe('enough');
  await expect(systemClock.sleep(1, stop.signal)).rejects.toBe('enough');
  await systemClock.sleep(1);
});
