import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Bucket, bucketErrors, directoryBucket } from '../../src/bucket/index.ts';
import { sampleJob } from '../../src/cluster/index.ts';
import { nodeDisk } from '../../src/disk/index.ts';
import { importWriter, journalPath, readJournal } from '../../src/journal/index.ts';
import { openLog } from '../../src/log/index.ts';
import { type LanguageModel, mockModel } from '../../src/targets/index.ts';
import { countingModel, twoTurns } from '../interrupted-run.ts';
import { FaultyBucket } from './faulty-bucket.ts';
import {
  bringHome,
  openShared,
  openZombie,
  startWorker,
  submit,
  until,
  untilComplete,
} from './shared-machines.ts';
import { useTempDir } from './use-temp-dir.ts';
import { withMethods } from './with-methods.ts';

const dir = useTempDir();
const SAMPLES = 12;

const options = (model: LanguageModel) => ({ dir: dir.path, eval: twoTurns(SAMPLES), model });
const bucketHere = () => directoryBucket(nodeDisk, join(dir.path, 'bucket'));
const submitTo = (bucket: Bucket) => submit(bucket, options(countingModel().model));

test('two workers run a plan together, and one log comes home with every sample, each answer bought once', async () => {
  const submitted = await submitTo(bucketHere());
  const { model, asked } = countingModel();
  const workers = [
    await startWorker(submitted, { name: 'a', model }),
    await startWorker(submitted, { name: 'b', model }),
  ];
  await untilComplete(submitted);
  for (const worker of workers) await worker.stop();
  const report = await bringHome(submitted);
  expect(report).toMatchObject({
    ...{ isComplete: true, lostLeases: [], lostResults: [], aside: [], problems: [], writers: 3 },
    samples: { planned: SAMPLES, completed: SAMPLES, errored: 0, aside: 0, due: 0 },
  });
  expect(asked).toHaveLength(2 * SAMPLES);
  const log = await openLog(nodeDisk, report.log ?? '');
  const ids: unknown[] = [];
  for await (const { id, scores } of log.summaries()) ids.push([id, Object.keys(scores ?? {})]);
  expect(ids).toHaveLength(SAMPLES);
  expect((await log.header()).results?.scores[0]?.metrics.accuracy?.value).toBe(1);
  await log.close();
});

/** Says of every lease that ends with a result whether its attempt was in the bucket by then. */
function watchedBucket(bucket: Bucket, tell: (isThere: boolean) => void): Bucket {
  const isThere = async (run: string, origin: string) => {
    const [, writer = ''] = origin.split('/');
    const runDir = join(dir.path, 'look', origin.replaceAll('/', '-'));
    await nodeDisk.makeDir(runDir);
    await importWriter({ disk: nodeDisk, bucket, prefix: '.holdfast/', run, writer, runDir });
    const journal = readJournal(journalPath(runDir, writer));
    const found = [...journal.outline()].some(
      (attempt) => attempt.origin === origin && attempt.status !== undefined,
    );
    journal.close();
    return found;
  };
  return withMethods(bucket, {
    create: async (key, bytes, signal) => {
      if (key.endsWith('.ended')) {
        const { status, origin, run } = JSON.parse(Buffer.from(bytes).toString('utf8'));
        if (status === 'completed') tell(await isThere(run, origin));
      }
      return bucket.create(key, bytes, signal);
    },
  });
}

test('[SHR-4] a lease ends when its result is in the bucket, also when the bucket was away', async () => {
  const told: boolean[] = [];
  const bucket = bucketHere();
  const fault = { on: 'create', kind: 'timeout', at: /\/segments\// } as const;
  using faulty = new FaultyBucket(bucket, [fault, { ...fault, after: 2 }, { ...fault, after: 2 }]);
  const submitted = await submitTo(watchedBucket(faulty, (isThere) => told.push(isThere)));
  const worker = await startWorker(submitted, { name: 'a', model: countingModel().model });
  await untilComplete(submitted);
  await worker.stop();
  expect(told).toEqual(Array.from({ length: SAMPLES }, () => true));
});

test('a worker that is frozen loses its lease: what it bought is replayed elsewhere, and what it says later is no result', async () => {
  const submitted = await submitTo(bucketHere());
  // Its second question is never answered before it is declared lost.
  const { promise: thawed, resolve: thaw } = Promise.withResolvers<void>();
  const frozen = countingModel();
  const slow = mockModel({
    name: 'mock/scripted',
    respond: async ({ text }) => {
      frozen.asked.push(text);
      if (text.endsWith('second')) await thawed;
      return text.replace('question', 'answer of a zombie to');
    },
  });
  const zombie = await openZombie(submitted, { name: 'a', model: slow });
  const held = zombie.work(sampleJob(0));
  await until(() => frozen.asked.includes('question 0 second'));
  await zombie.ship();
  const { model, asked } = countingModel();
  const worker = await startWorker(submitted, { name: 'b', model });
  // It wakes up while the other is at work: what it says then it says too late.
  await until(() => asked.includes('question 0 second'));
  thaw();
  await untilComplete(submitted);
  expect(await held).toMatchObject({ kind: 'ended', isOwn: false, end: { status: 'lost', by: 'b' } });
  await worker.stop();
  await zombie.close();
  expect(asked).not.toContain('question 0 first');
  expect(asked).toContain('question 0 second');
  const report = await bringHome(submitted);
  expect(report).toMatchObject({ isComplete: true, lostResults: [], samples: { completed: SAMPLES } });
  expect(report.lostLeases).toEqual([
    { job: 's0', n: 1, by: 'b', reason: 'worker a gave no sign of life any more' },
  ]);
  const log = await openLog(nodeDisk, report.log ?? '');
  const sample = await log.sample('q0', 1);
  expect(JSON.stringify(sample?.messages.at(-1))).toContain('answer 0 second');
  await log.close();
});

test('a worker that is lost before anything of it was in the bucket is in nobody’s way: its sample is run as if it were new', async () => {
  const submitted = await submitTo(bucketHere());
  const { bucket } = submitted.place;
  const mute = withMethods(bucket, {
    create: (key, bytes, signal) =>
      key.includes('/segments/') || key.includes('/records/')
        ? Promise.reject(bucketErrors.away(bucket.url, new Error('the cable is cut')))
        : bucket.create(key, bytes, signal),
  });
  const { model: slow, asked: begun } = countingModel((text) => text === 'question 0 second');
  const cut = { ...submitted, place: { ...submitted.place, bucket: mute } };
  const zombie = await openZombie(cut, { name: 'a', model: slow });
  const held = zombie.work(sampleJob(0));
  await until(() => begun.includes('question 0 second'));
  const { model, asked } = countingModel();
  const worker = await startWorker(submitted, { name: 'b', model });
  await untilComplete(submitted);
  await worker.stop();
  expect(asked).toContain('question 0 first');
  expect(await bringHome(submitted)).toMatchObject({
    ...{ isComplete: true, aside: [], lostResults: [], problems: [] },
    samples: { completed: SAMPLES },
    lostLeases: [{ job: 's0', n: 1, by: 'b' }],
  });
  zombie.stop();
  await held;
  await zombie.close();
});

test('a worker that would run something else than what was submitted refuses', async () => {
  const submitted = await submitTo(bucketHere());
  const opening = openShared(submitted, { name: 'a', eval: twoTurns(SAMPLES + 1) });
  await expect(opening).rejects.toMatchObject({ code: 'E_WORKER_DIFFERS' });
});
