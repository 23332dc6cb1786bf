/** Workers to which nothing answers: they do not burn a run sample by sample, as a run of one machine does not. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/base/index.ts';
import { directoryBucket } from '../../src/bucket/index.ts';
import { nodeDisk } from '../../src/disk/index.ts';
import { mockModel } from '../../src/targets/index.ts';
import { countingModel, twoTurns } from '../interrupted-run.ts';
import { nextRound, startWorker, submit, until, untilComplete } from './shared-machines.ts';
import { useTempDir } from './use-temp-dir.ts';

const dir = useTempDir();
const SAMPLES = 30;

function deafModel() {
  let asked = 0;
  const model = mockModel({
    name: 'mock/scripted',
    respond: () => {
      asked++;
      throw new Error('401 no such key');
    },
  });
  return { model, asked: () => asked };
}

const bucket = () => directoryBucket(nodeDisk, join(dir.path, 'bucket'));

test('[SHR-22] when the first calls all fail alike and nobody had any answer the round is cancelled with the reason, and can be resumed', async () => {
  const deaf = deafModel();
  const submitted = await submit(bucket(), { dir: dir.path, eval: twoTurns(SAMPLES), model: deaf.model });
  const { shared } = submitted;
  const worker = await startWorker(submitted, { name: 'a', model: deaf.model });
  await until(async () => {
    await shared.refresh();
    return shared.isCancelled || shared.isComplete;
  });
  await worker.stop();
  await shared.refresh();
  expect(shared.cancelled).toMatchObject({
    ...{ by: 'a', because: 'calls', reason: expect.stringContaining('401 no such key') },
  });
  expect(deaf.asked()).toBeLessThanOrEqual(12);
  const good = countingModel();
  await nextRound(submitted);
  const other = await startWorker(submitted, { name: 'b', model: good.model });
  await untilComplete(submitted);
  await other.stop();
  expect([...shared.jobs()].every((job) => shared.endOf(job)?.status === 'completed')).toBe(true);
});

test('[SHR-22] a worker to which nothing answers does not cancel a run while another works on it that has no result yet', async () => {
  const deaf = deafModel();
  const gate = Promise.withResolvers<void>();
  const slow = mockModel({
    name: 'mock/scripted',
    respond: async ({ text }) => {
      await gate.promise;
      return text.replace('question', 'answer');
    },
  });
  const submitted = await submit(bucket(), { dir: dir.path, eval: twoTurns(SAMPLES), model: slow });
  const { shared, place } = submitted;
  const first = await startWorker(submitted, { name: 'slow', model: slow });
  await until(async () => {
    await shared.refresh();
    return [...shared.jobs()].some((job) => shared.leasesOf(job).length > 0);
  });
  const second = await startWorker(submitted, { name: 'deaf', model: deaf.model });
  const beat = async () => Buffer.from((await place.bucket.read(`${place.prefix}workers/deaf`)) ?? []);
  await until(async () => (await beat()).toString().includes('401 no such key'));
  await shared.refresh();
  expect(shared.isCancelled).toBe(false);
  gate.resolve();
  await untilComplete(submitted);
  await second.stop();
  await first.stop();
  expect(shared.isCancelled).toBe(false);
});

test('[SHR-22] a worker to which nothing answers, where others have answers, refuses the run and leaves it to them', async () => {
  const deaf = deafModel();
  const good = countingModel();
  const submitted = await submit(bucket(), { dir: dir.path, eval: twoTurns(SAMPLES), model: good.model });
  const { shared, place } = submitted;
  const first = await startWorker(submitted, { name: 'good', model: good.model });
  await until(async () => {
    await shared.refresh();
    return [...shared.jobs()].some((job) => shared.endOf(job)?.status === 'completed');
  });
  await first.stop();
  const worker = await startWorker(submitted, { name: 'deaf', model: deaf.model });
  const beat = async () => Buffer.from((await place.bucket.read(`${place.prefix}workers/deaf`)) ?? []);
  await until(async () => (await beat()).toString().includes('401 no such key'));
  // It takes nothing more.
  const asked = deaf.asked();
  const second = await startWorker(submitted, { name: 'good-2', model: good.model });
  await untilComplete(submitted);
  await second.stop();
  await worker.stop();
  await systemClock.sleep(50);
  expect([deaf.asked(), shared.isCancelled]).toEqual([asked, false]);
  expect(asked).toBeLessThanOrEqual(12);
  const failed = [...shared.jobs()].filter((job) => shared.endOf(job)?.status === 'errored');
  expect(failed.length).toBeLessThanOrEqual(12);
});
