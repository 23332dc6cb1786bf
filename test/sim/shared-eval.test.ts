import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock, systemRandom } from '../../src/base/index.ts';
import { type Bucket, directoryBucket } from '../../src/bucket/index.ts';
import {
  beginRound,
  Company,
  comeHome,
  createSubmission,
  enqueueDue,
  evalSession,
  LocalQueue,
  rangesText,
  SHARED_VERSION,
  SharedRun,
  SignsOfLife,
  type Submission,
  sampleJob,
  Worker,
  workOnJob,
} from '../../src/cluster/index.ts';
import { nodeDisk } from '../../src/disk/index.ts';
import { normalizeEval } from '../../src/evals/index.ts';
import { importWriter, journalPath, readJournal, StateDir } from '../../src/journal/index.ts';
import { directoryLogStore, openLog } from '../../src/log/index.ts';
import { handOver, type RunSettings, type RunTask, SharedEval, Slots } from '../../src/runner/index.ts';
import { createModels, type LanguageModel, mockModel } from '../../src/targets/index.ts';
import { countingModel, twoTurns } from '../interrupted-run.ts';
import { FaultyBucket } from './faulty-bucket.ts';
import { useTempDir } from './use-temp-dir.ts';
import { withMethods } from './with-methods.ts';

const dir = useTempDir();
const SAMPLES = 12;

/** A machine with a folder of its own, and models that an outside ledger counts. */
function machine(name: string, model: LanguageModel) {
  const logDir = join(dir.path, name, 'logs');
  const task: RunTask = {
    ...{ eval: normalizeEval(twoTurns(SAMPLES)), model: 'mock/scripted', file: undefined, baseDir: dir.path },
    ...{ observer: undefined, code: undefined },
    models: createModels({ env: {}, concurrency: 4, scripted: { 'mock/scripted': model } }),
  };
  const settings: RunSettings = {
    ...{ disk: nodeDisk, clock: systemClock, random: systemRandom, slots: new Slots(4) },
    places: { logs: directoryLogStore(nodeDisk, logDir), logDir, state: StateDir.of(logDir) },
    artifacts: { dir: join(dir.path, name, 'artifacts'), hostPaths: [dir.path] },
    signals: { drain: new AbortController().signal, abort: new AbortController().signal },
    ...{ graceMs: 30_000, segmentIntervalMs: 100, forceDead: false, reuse: 'same', keepOutputs: false },
    ...{ ownRuns: new Set(), version: 'test' },
  };
  return { task, settings };
}

const BESIDE = { generation: 1, after: [], reuse: 'same' } as const;

async function submit(bucket: Bucket) {
  const place = { bucket, prefix: '.holdfast/' };
  const { task, settings } = machine('laptop', countingModel().model);
  const { run: record, lent } = await handOver(task, settings, place);
  const submission: Submission = {
    ...{ format: 'holdfast-submission', version: SHARED_VERSION, run: record.runId, at: '', by: 'laptop' },
    ...{ record, samples: record.planned, lent: rangesText(lent), builds: [], lostMax: 3 },
  };
  expect(await createSubmission(place, submission)).toBe(true);
  const shared = await SharedRun.open(place, record.runId);
  if (!shared) throw new Error('nothing was submitted');
  await beginRound(shared, place, { clock: systemClock, by: 'laptop' });
  const queue = new LocalQueue(systemClock);
  await enqueueDue(shared, queue);
  return { place, shared, queue, settings };
}

type Submitted = Awaited<ReturnType<typeof submit>>;

async function startWorker({ place, shared, queue }: Submitted, name: string, model: LanguageModel) {
  const { task, settings } = machine(name, model);
  const stop = new AbortController();
  const opened: SharedEval[] = [];
  const worker = new Worker({
    ...{ worker: name, place, queue, clock: systemClock, slots: 2, signal: stop.signal },
    signs: new SignsOfLife(place, {
      worker: name,
      clock: systemClock,
      slots: 2,
      intervalMs: 50,
      silenceMs: 300,
    }),
    openSession: async () => {
      const { submission } = shared;
      const evalOfRun = await SharedEval.open(task, settings, {
        run: submission.record,
        beside: BESIDE,
        place,
      });
      opened.push(evalOfRun);
      return evalSession({ place, clock: systemClock, submission, shared: evalOfRun });
    },
  });
  const served = worker.serve();
  return {
    async stop() {
      stop.abort(new Error('enough'));
      await served;
      for (const one of opened) await one.close();
    },
  };
}

async function untilComplete({ shared }: Submitted): Promise<void> {
  while (!shared.isComplete) {
    await systemClock.sleep(50);
    await shared.refresh();
  }
}

test('two workers run a plan together, and one log comes home with every sample, each answer bought once', async () => {
  const submitted = await submit(directoryBucket(nodeDisk, join(dir.path, 'bucket')));
  const { model, asked } = countingModel();
  const workers = [await startWorker(submitted, 'a', model), await startWorker(submitted, 'b', model)];
  await untilComplete(submitted);
  for (const worker of workers) await worker.stop();
  const { place, shared, settings } = submitted;
  const { state, logs } = settings.places;
  const report = await comeHome(shared, { disk: nodeDisk, clock: systemClock, place, state, logs });
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

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await systemClock.sleep(20);
}

/** A worker that gave one sign of life, and no other. */
async function openZombie({ place, shared }: Submitted, model: LanguageModel) {
  const { task, settings } = machine('a', model);
  const { submission } = shared;
  const evalOfRun = await SharedEval.open(task, settings, {
    run: submission.record,
    beside: BESIDE,
    place,
  });
  const signs = new SignsOfLife(place, { worker: 'a', clock: systemClock, slots: 1 });
  await signs.give();
  return {
    ship: () => evalOfRun.ship(),
    close: () => evalOfRun.close(),
    work: (position: number) =>
      workOnJob(sampleJob(position), {
        ...evalSession({ place, clock: systemClock, submission, shared: evalOfRun }),
        ...{ signs, clock: systemClock, worker: 'a', round: 1, company: new Company() },
        isCancelled: async () => false,
        signal: new AbortController().signal,
      }),
  };
}

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
  const bucket = directoryBucket(nodeDisk, join(dir.path, 'bucket'));
  const fault = { on: 'create', kind: 'timeout', at: /\/segments\// } as const;
  using faulty = new FaultyBucket(bucket, [fault, { ...fault, after: 2 }, { ...fault, after: 2 }]);
  const submitted = await submit(watchedBucket(faulty, (isThere) => told.push(isThere)));
  const worker = await startWorker(submitted, 'a', countingModel().model);
  await untilComplete(submitted);
  await worker.stop();
  expect(told).toEqual(Array.from({ length: SAMPLES }, () => true));
});

test('a worker that is frozen loses its lease: what it bought is replayed elsewhere, and what it says later is no result', async () => {
  const submitted = await submit(directoryBucket(nodeDisk, join(dir.path, 'bucket')));
  const { place, shared, settings } = submitted;
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
  const zombie = await openZombie(submitted, slow);
  const held = zombie.work(0);
  await until(() => frozen.asked.includes('question 0 second'));
  await zombie.ship();
  const { model, asked } = countingModel();
  const worker = await startWorker(submitted, 'b', model);
  // It wakes up while the other is at work: what it says then it says too late.
  await until(() => asked.includes('question 0 second'));
  thaw();
  await untilComplete(submitted);
  expect(await held).toMatchObject({ kind: 'ended', isOwn: false, end: { status: 'lost', by: 'b' } });
  await worker.stop();
  await zombie.close();
  expect(asked).not.toContain('question 0 first');
  expect(asked).toContain('question 0 second');
  const { state, logs } = settings.places;
  const report = await comeHome(shared, { disk: nodeDisk, clock: systemClock, place, state, logs });
  expect(report).toMatchObject({ isComplete: true, lostResults: [], samples: { completed: SAMPLES } });
  expect(report.lostLeases).toEqual([
    { job: 's0', n: 1, by: 'b', reason: 'worker a gave no sign of life any more' },
  ]);
  const log = await openLog(nodeDisk, report.log ?? '');
  const sample = await log.sample('q0', 1);
  expect(JSON.stringify(sample?.messages.at(-1))).toContain('answer 0 second');
  await log.close();
});

test('a worker that would run something else than what was submitted refuses', async () => {
  const { place, shared } = await submit(directoryBucket(nodeDisk, join(dir.path, 'bucket')));
  const { task, settings } = machine('a', countingModel().model);
  const other = { ...task, eval: normalizeEval(twoTurns(SAMPLES + 1)) };
  const opening = SharedEval.open(other, settings, { run: shared.submission.record, beside: BESIDE, place });
  await expect(opening).rejects.toMatchObject({ code: 'E_WORKER_DIFFERS' });
});
