/** Machines with folders of their own, and one bucket: a run is submitted by one of them, and others work on it. */
import { join } from 'node:path';
import { systemClock, systemRandom } from '../../src/base/index.ts';
import type { Bucket } from '../../src/bucket/index.ts';
import type { EvidenceSettings } from '../../src/cluster/eval-session.ts';
import {
  beginRound,
  Company,
  comeHome,
  createSubmission,
  enqueueDue,
  evalSession,
  type JobId,
  rangesText,
  SHARED_VERSION,
  SharedRun,
  SignsOfLife,
  type Submission,
  submittedBuilds,
  Worker,
  workOnJob,
} from '../../src/cluster/index.ts';
import { nodeDisk } from '../../src/disk/index.ts';
import { type EvalDefinition, normalizeEval } from '../../src/evals/index.ts';
import { StateDir } from '../../src/journal/index.ts';
import { directoryLogStore } from '../../src/log/index.ts';
import { handOver, type RunSettings, type RunTask, SharedEval, Slots } from '../../src/runner/index.ts';
import { createModels, type LanguageModel, type PriceTable } from '../../src/targets/index.ts';
import { LocalQueue } from './local-queue.ts';
import { NO_WORK } from './submitted-work.ts';

// biome-ignore lint/suspicious/noExplicitAny: machines run evals of every type
type AnyEval = EvalDefinition<any, any, any>;

export interface MachineOptions {
  /** Where the folders of all machines lie. */
  readonly dir: string;
  readonly eval: AnyEval;
  readonly model: LanguageModel;
  /** Where workers find artifacts. */
  readonly store?: Bucket;
  /** Where whoever submits finds them, when that is another place. */
  readonly ownStore?: Bucket;
  /** How workers bring evidence into the bucket; none unless it is given. */
  readonly evidence?: EvidenceSettings;
  /** Beside those of the model. */
  readonly prices?: PriceTable;
}

export function machine(name: string, options: MachineOptions) {
  const { dir, eval: definition, model, store, prices } = options;
  const logDir = join(dir, name, 'logs');
  const task: RunTask = {
    ...{ eval: normalizeEval(definition), model: 'mock/scripted', file: undefined, baseDir: dir },
    ...{ observer: undefined, code: undefined },
    models: createModels({
      ...{ env: {}, concurrency: 4, retry: { retriesMax: 0 } },
      prices: { 'mock/scripted': { input: 1, output: 0 }, ...prices },
      scripted: { 'mock/scripted': model },
    }),
  };
  const settings: RunSettings = {
    ...{ disk: nodeDisk, clock: systemClock, random: systemRandom, slots: new Slots(4) },
    places: { logs: directoryLogStore(nodeDisk, logDir), logDir, state: StateDir.of(logDir) },
    artifacts: { dir: join(dir, name, 'artifacts'), store, hostPaths: [dir] },
    signals: { drain: new AbortController().signal, abort: new AbortController().signal },
    ...{ graceMs: 30_000, segmentIntervalMs: 100, forceDead: false, reuse: 'same', keepOutputs: false },
    ...{ ownRuns: new Set(), version: 'test' },
  };
  return { task, settings };
}

const BESIDE = { generation: 1, after: [], reuse: 'same' } as const;

/** Hands a run over, with its builds, and begins its first round. */
export async function submit(bucket: Bucket, options: MachineOptions, name = 'laptop') {
  const place = { bucket, prefix: '.holdfast/' };
  const { store = bucket, ownStore = store } = options;
  const { task, settings } = machine(name, { ...options, store: ownStore });
  const { run: record, lent, builds } = await handOver(task, settings, place, { store });
  const submission: Submission = {
    ...{ format: 'holdfast-submission', version: SHARED_VERSION, run: record.runId, at: '', by: name },
    ...{ record, work: NO_WORK, samples: record.planned, lent: rangesText(lent), lostMax: 3 },
    builds: submittedBuilds({ builds }),
  };
  if (!(await createSubmission(place, submission))) throw new Error('it was submitted already');
  const shared = await SharedRun.open(place, record.runId);
  if (!shared) throw new Error('nothing was submitted');
  const queue = new LocalQueue(systemClock);
  const submitted = { place, shared, queue, settings, options };
  await nextRound(submitted);
  return submitted;
}

export type Submitted = Awaited<ReturnType<typeof submit>>;

export async function nextRound({
  shared,
  place,
  queue,
}: Pick<Submitted, 'shared' | 'place' | 'queue'>): Promise<void> {
  await beginRound(shared, place, { clock: systemClock, by: 'laptop' });
  await enqueueDue(shared, queue);
}

export interface WorkerMachine extends Partial<Pick<MachineOptions, 'eval' | 'model'>> {
  readonly name: string;
}

export function openShared({ place, shared, options }: Submitted, { name, ...more }: WorkerMachine) {
  const { task, settings } = machine(name, { ...options, ...more });
  return SharedEval.open(task, settings, { run: shared.submission.record, beside: BESIDE, place });
}

export async function startWorker(submitted: Submitted, machine: WorkerMachine) {
  const { place, shared, queue } = submitted;
  const { name } = machine;
  const stop = new AbortController();
  const opened: SharedEval[] = [];
  const life = { worker: name, clock: systemClock, slots: 2, intervalMs: 50, silenceMs: 300 };
  const worker = new Worker({
    ...{ worker: name, place, queue, clock: systemClock, slots: 2, signal: stop.signal },
    signs: new SignsOfLife(place, life),
    openSession: async () => {
      const one = await openShared(submitted, machine);
      opened.push(one);
      const { evidence } = submitted.options;
      return evalSession({ place, clock: systemClock, submission: shared.submission, shared: one, evidence });
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

/** A worker that gave one sign of life, and no other. */
export async function openZombie(submitted: Submitted, machine: WorkerMachine) {
  const { place, shared } = submitted;
  const one = await openShared(submitted, machine);
  const { name: worker } = machine;
  const signs = new SignsOfLife(place, { worker, clock: systemClock, slots: 1 });
  await signs.give();
  const stop = new AbortController();
  const { evidence } = submitted.options;
  const session = evalSession({
    ...{ place, clock: systemClock, submission: shared.submission, shared: one, evidence },
  });
  return {
    ship: () => one.ship(),
    close: () => one.close(),
    stop: () => stop.abort(new Error('it is gone')),
    work: (job: JobId) =>
      workOnJob(job, {
        ...{ book: session.book, lostMax: session.lostMax, session: async () => session },
        ...{ signs, clock: systemClock, worker, round: shared.round, company: new Company() },
        isCancelled: async () => false,
        signal: stop.signal,
      }),
  };
}

export async function untilComplete({ shared }: Submitted): Promise<void> {
  while (!shared.isComplete) {
    await systemClock.sleep(50);
    await shared.refresh();
  }
}

export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await systemClock.sleep(20);
}

/** Brings the run home to the machine that submitted it. */
export function bringHome({ shared, place, settings, options }: Submitted, disk = nodeDisk) {
  const { state, logs } = settings.places;
  const isEvidenceWanted = options.evidence !== undefined;
  return comeHome(shared, { disk, clock: systemClock, place, state, logs, isEvidenceWanted });
}
