import { expect, test } from 'vitest';
import { sharedFixture } from '../../test/sim/shared-fixture.ts';
import { jobNames, jobNameText, jobsNamed } from './job-names.ts';
import { eventsOf } from './run-events.ts';
import { statusOf } from './run-status.ts';
import { buildJob, sampleJob } from './shared-keys.ts';
import type { Submission } from './shared-records.ts';

const IDS = ['rome', 7];
const RECIPE = 'ab'.repeat(32);
const BUILD = {
  ...{ job: buildJob(RECIPE), unit: 'knowledge/shop', recipe: RECIPE, samples: '0', needs: [] },
};

/** Two rows, each in two epochs; these tests have no journals. */
function named(): Partial<Submission> & Pick<Submission, 'record' | 'builds' | 'samples'> {
  const start = { eval: { dataset: { sample_ids: IDS } } };
  const identity = { eval: 'cities', targetName: 'mock' };
  return { record: { start, identity } as unknown as Submission['record'], samples: 4, builds: [BUILD] };
}

test('jobs are called by ids, epochs and units, and found by them', () => {
  const nameOf = jobNames(named());
  const texts = [BUILD.job, ...[0, 1, 2, 3].map(sampleJob)].map((job) => jobNameText(nameOf(job)));
  expect(texts).toEqual(['knowledge/shop', 'rome', '7', 'rome@2', '7@2']);
  expect(jobsNamed(named(), 'rome')).toEqual(['s0', 's2']);
  expect(jobsNamed(named(), '7')).toEqual(['s1', 's3']);
  expect(jobsNamed(named(), 'rome@2')).toEqual(['s2']);
  expect(jobsNamed(named(), 'paris')).toEqual([]);
});

test('events and what is in flight name samples and builds from the first moment, before anything was shipped', async () => {
  const fixture = sharedFixture(named());
  const shared = await fixture.submit();
  await fixture.book.take(sampleJob(2), fixture.taker('a'));
  await fixture.book.take(BUILD.job, fixture.taker('a'));
  await shared.refresh();
  const sample = { id: 'rome', epoch: 2 };
  const begun = eventsOf(shared).filter(({ kind }) => kind === 'begun');
  expect(begun).toMatchObject([
    { job: BUILD.job, unit: 'knowledge/shop' },
    { job: 's2', sample },
  ]);
  const { inFlight } = statusOf(shared, { workers: [], nowMs: undefined });
  expect(inFlight).toMatchObject([
    { job: BUILD.job, unit: 'knowledge/shop' },
    { job: 's2', sample },
  ]);
});
