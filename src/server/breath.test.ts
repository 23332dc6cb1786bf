import { expect, test } from 'vitest';
import { manualClock } from '../../test/sim/manual-clock.ts';
import { Breath } from './breath.ts';

test('after a few milliseconds of work others have their turn, and not before', async () => {
  const clock = manualClock();
  const breath = new Breath(clock, new AbortController().signal);
  let turns = 0;
  setImmediate(() => turns++);
  for (let time = 0; time < 100; time++) await breath.take();
  expect(turns).toBe(0);
  await clock.advance(10);
  await breath.take();
  expect(turns).toBe(1);
  setImmediate(() => turns++);
  await breath.take();
  expect(turns).toBe(1);
});

test('whoever is not waited for any more stops, also while others have their turn', async () => {
  const stop = new AbortController();
  const clock = manualClock();
  const breath = new Breath(clock, stop.signal);
  await clock.advance(10);
  setImmediate(() => stop.abort());
  await expect(breath.take()).rejects.toMatchObject({ name: 'AbortError' });
  await expect(breath.take()).rejects.toMatchObject({ name: 'AbortError' });
});
