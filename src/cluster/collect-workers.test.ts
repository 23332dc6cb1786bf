import { expect, test } from 'vitest';
import { sharedFixture } from '../../test/sim/shared-fixture.ts';
import { collectWorkers } from './collect-workers.ts';
import { sampleJob } from './shared-keys.ts';
import { workOnJob } from './work-on-job.ts';

const DAY_MS = 86_400_000;

test('signs of life that are older than a day go, and what their workers had is found lost all the same', async () => {
  const fixture = sharedFixture();
  const { clock, bucket, place } = fixture;
  const frozen = await fixture.ports('frozen');
  await fixture.book.take(sampleJob(0), fixture.taker('frozen'));
  await clock.advance(DAY_MS);
  const { signs } = await fixture.ports('lately');
  await signs.stop();
  const left = async () => (await Array.fromAsync(bucket.list('workers/'))).map(({ key }) => key);
  const collect = (isDryRun: boolean) => collectWorkers(place, { nowMs: clock.nowMs(), isDryRun });
  expect(await collect(false)).toEqual([]);
  await clock.advance(1);
  expect(await collect(true)).toEqual(['frozen']);
  expect(await left()).toEqual(['workers/frozen', 'workers/lately']);
  expect(await collect(false)).toEqual(['frozen']);
  expect(await left()).toEqual(['workers/lately']);
  expect(await workOnJob(sampleJob(0), await fixture.ports('b'))).toMatchObject({
    end: { status: 'completed', n: 2 },
  });
  // One that comes back after all is seen again.
  await frozen.signs.give();
  await frozen.signs.give();
  expect(await left()).toContain('workers/frozen');
});
