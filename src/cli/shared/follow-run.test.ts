import { expect, test } from 'vitest';
import { followedRun } from '../../../test/sim/followed-run.ts';
import { beginRound, cancelRound, sampleJob } from '../../cluster/index.ts';

test('a bucket that is away for a while is said once, and nothing that happens meanwhile stays untold', async () => {
  const run = await followedRun();
  await run.clock.advance(1_500);
  run.goAway(/./);
  await run.clock.advance(20_000);
  await run.complete(sampleJob(0));
  run.goAway(undefined);
  await run.clock.advance(1_500);
  await run.complete(sampleJob(1));
  await run.clock.advance(1_500);
  expect(await run.following).toMatchObject({ end: 'over', status: { state: 'complete' } });
  expect(run.notes).toEqual(['memory does not answer: no answer. It is asked again.', 'The bucket is back.']);
  expect(run.events()).toEqual(['submitted', 'round', 'begun', 'ended', 'begun', 'ended']);
});

test('one that is away for a minute ends it with its error, and not before', async () => {
  const run = await followedRun();
  run.goAway(/./);
  await run.clock.advance(59_000);
  expect(run.notes).toHaveLength(1);
  run.goAway(undefined);
  await run.clock.advance(2_000);
  run.goAway(/./);
  await run.clock.advance(62_000);
  await expect(run.following).rejects.toMatchObject({ code: 'E_BUCKET_AWAY' });
});

test.each([
  ['of one epoch, the second part', /evidence\/s0\/.*2$/],
  ['of the second epoch', /evidence\/s1\//],
])('what attempts wrote is told once it can be read, and once: %s was away', async (_, away) => {
  const run = await followedRun('rome');
  run.goAway(away);
  await run.write(sampleJob(0), 1, 'one');
  await run.write(sampleJob(0), 2, 'two');
  await run.write(sampleJob(1), 1, 'three');
  await run.clock.advance(3_000);
  expect(run.output()).toEqual([]);
  run.goAway(undefined);
  await run.clock.advance(3_000);
  expect(run.output()).toEqual(['one', 'two', 'three']);
  run.stop.abort();
  expect(await run.following).toMatchObject({ end: 'stopped' });
});

test('[SHR-10] what may end of a run that was cancelled is followed to its end', async () => {
  const run = await followedRun();
  const lease = await run.take(sampleJob(0));
  await run.letFinish();
  await run.clock.advance(120_000);
  expect({ ended: run.ended(), told: run.events() }).toEqual({
    ended: undefined,
    told: ['submitted', 'round', 'cancelled', 'begun'],
  });
  await run.end(lease);
  await run.clock.advance(1_500);
  expect(await run.following).toMatchObject({ end: 'over', status: { state: 'cancelled', inFlight: [] } });
  expect(run.events().at(-1)).toBe('ended');
});

test('whoever cannot tell whether anybody lives follows a run that was cancelled for a minute, and says that nobody knows', async () => {
  const run = await followedRun();
  await run.take(sampleJob(0));
  // Whoever may not write cannot tell the time of the bucket.
  run.goAway(/^clock/);
  await cancelRound(run.shared, run.place, { clock: run.clock, by: 'laptop' });
  await run.clock.advance(58_000);
  expect(run.ended()).toBeUndefined();
  await run.clock.advance(5_000);
  expect(await run.following).toMatchObject({ end: 'unknown', status: { state: 'cancelled' } });
});

test('a run that was cancelled and goes on in another round is followed on', async () => {
  const run = await followedRun();
  await run.take(sampleJob(0));
  const words = { clock: run.clock, by: 'laptop' };
  await cancelRound(run.shared, run.place, words);
  await run.clock.advance(3_000);
  await beginRound(run.shared, run.place, words);
  await run.clock.advance(120_000);
  expect(run.ended()).toBeUndefined();
  expect(run.events()).toContain('cancelled');
  run.stop.abort();
  expect(await run.following).toMatchObject({ end: 'stopped', status: { round: 2 } });
});
