/** A bucket in memory with shared runs in several states: what the pages of shared runs are tested with. Its clock stands still. */
import { type Digest, digestOf, isoTime, type RunId } from '../../../src/base/index.ts';
import {
  beginRound,
  buildJob,
  cancelRound,
  createSubmission,
  type JobId,
  LeaseBook,
  SHARED_PREFIX,
  SHARED_VERSION,
  type SharedPlace,
  SharedRun,
  SignsOfLife,
  type Submission,
  sampleJob,
} from '../../../src/cluster/index.ts';
import type { EndWords } from '../../../src/cluster/lease-book.ts';
import { fixtureSpec } from '../log-fixture.ts';
import { type ManualClock, manualClock } from '../manual-clock.ts';
import { memoryBucket } from '../memory-bucket.ts';
import { runIdAt } from '../results-repo.ts';
import { NO_WORK } from '../submitted-work.ts';

export interface SharedStore {
  readonly place: SharedPlace;
  readonly clock: ManualClock;
}

export function sharedStore(nowMs = Date.UTC(2026, 10, 18, 9)): SharedStore {
  const clock = manualClock(nowMs);
  const bucket = memoryBucket({ nowMs: () => clock.nowMs() });
  return { clock, place: { bucket, prefix: SHARED_PREFIX } };
}

export interface SubmittedRun {
  readonly run: RunId;
  readonly shared: SharedRun;
  /** Takes a job for a worker, and lets it give a sign. */
  begin(worker: string, job: JobId): Promise<{ end(words: Omit<EndWords, 'by'>): Promise<void> }>;
  /** A worker that is there, with so many slots. */
  worker(name: string, slots?: number): Promise<SignsOfLife>;
  resume(): Promise<void>;
  cancel(): Promise<void>;
}

export interface SubmitOptions {
  readonly eval?: string;
  readonly target?: string;
  readonly samples?: number;
  readonly number?: number;
  readonly lent?: string;
  readonly builds?: readonly { readonly unit: string; readonly samples: string }[];
}

export const recipeOfUnit = (unit: string): Digest => digestOf(`recipe of ${unit}`);

/** Submits a run to the bucket, as a laptop would. */
export async function submitRun(store: SharedStore, options: SubmitOptions = {}): Promise<SubmittedRun> {
  const { place, clock } = store;
  const { samples = 6, lent = '', number = 1, builds = [] } = options;
  const run = runIdAt(new Date(clock.nowMs()).toISOString(), number);
  const submission = submissionOf({ ...options, samples, lent, builds }, { run, at: isoTime(clock.nowMs()) });
  await createSubmission(place, submission);
  const shared = await SharedRun.open(place, run);
  if (!shared) throw new Error('nothing was submitted');
  await beginRound(shared, place, { clock, by: 'ada@laptop' });
  const book = new LeaseBook(place, { run, clock });
  const signs = new Map<string, SignsOfLife>();
  const worker = async (name: string, slots = 4) => {
    const known =
      signs.get(name) ?? new SignsOfLife(place, { worker: name, clock, slots, host: `${name}.host` });
    signs.set(name, known);
    await known.give();
    return known;
  };
  return {
    run,
    shared,
    worker,
    async begin(name, job) {
      const own = await worker(name);
      const taken = await book.take(job, { round: shared.round, worker: name, writer: `writer of ${name}` });
      if (taken.kind !== 'taken') throw new Error(`${job} was not taken: ${taken.kind}`);
      own.begin(taken.lease);
      await own.give();
      return {
        async end(words) {
          own.finish(taken.lease);
          await book.end(taken.lease, { by: name, ...words });
          await own.give();
        },
      };
    },
    async resume() {
      await beginRound(shared, place, { clock, by: 'grace@desk' });
    },
    async cancel() {
      await cancelRound(shared, place, { clock, by: 'grace@desk' });
    },
  };
}

function submissionOf(
  options: SubmitOptions & Required<Pick<SubmitOptions, 'samples' | 'lent' | 'builds'>>,
  { run, at }: { readonly run: RunId; readonly at: string },
): Submission {
  const { eval: name = 'text-to-sql', target = 'claude-opus-5', samples, lent, builds } = options;
  const ids = Array.from({ length: samples }, (_, n) => `question-${String(n).padStart(4, '0')}`);
  const digest = digestOf(name);
  return {
    ...{ format: 'holdfast-submission', version: SHARED_VERSION, run, at, by: 'ada@laptop' },
    record: {
      ...{ runId: run, created: at, planned: samples, logName: `${run}.eval` },
      start: {
        version: 2,
        eval: fixtureSpec({ task: name, dataset: { sample_ids: ids } }),
        plan: { name: 'plan', steps: [], config: {} },
      },
      identity: {
        eval: name,
        version: '1',
        targetName: target,
        target: digest,
        definition: digest,
        plan: digest,
      },
    },
    ...{ work: NO_WORK, samples, lent, lostMax: 3 },
    builds: builds.map(({ unit, samples: readers }) => {
      const recipe = recipeOfUnit(unit);
      return { job: buildJob(recipe), unit, recipe, samples: readers, needs: [] };
    }),
  };
}

/** Whatever is there under a key, or not: it is no record any more. */
export async function damageObject({ place }: SharedStore, key: string): Promise<void> {
  await place.bucket.removeAll([key]);
  await place.bucket.create(key, Buffer.from('{'));
}

const MINUTE = 60_000;

/** What a person would see in the middle of a working day: one run under way with all that can go wrong, and three others. */
export async function makeSharedRuns(store: SharedStore): Promise<{ readonly running: SubmittedRun }> {
  const { clock } = store;
  await completeRun(store);
  await clock.advance(30 * MINUTE);
  const cancelled = await submitRun(store, { eval: 'swe-lite', target: 'gpt-6', samples: 40, number: 2 });
  for (let n = 0; n < 9; n++)
    await (await cancelled.begin('w-00', sampleJob(n))).end({ status: 'completed', usd: 0.11 });
  await cancelled.cancel();
  await (await cancelled.worker('w-00')).stop();
  await clock.advance(10 * MINUTE);
  return { running: await runningRun(store) };
}

async function completeRun(store: SharedStore): Promise<void> {
  const run = await submitRun(store, { eval: 'word-problems', target: 'qwen-4', samples: 30, number: 9 });
  for (let n = 0; n < 30; n++) {
    const lease = await run.begin(`old-${n % 3}`, sampleJob(n));
    await store.clock.advance(9_000);
    await lease.end(
      n === 7
        ? { status: 'errored', reason: 'the model answered 500', usd: 0.01 }
        : { status: 'completed', usd: 0.02 },
    );
  }
  for (const name of ['old-0', 'old-1', 'old-2']) await (await run.worker(name)).stop();
}

const UNITS = [
  'california_schools',
  'card_games',
  'codebase_community',
  'debit_card',
  'european_football',
  'financial',
];

async function runningRun(store: SharedStore): Promise<SubmittedRun> {
  const { clock } = store;
  const builds = UNITS.map((name, at) => ({
    unit: `knowledge/${name}`,
    samples: `${at * 60}-${at * 60 + 59}`,
  }));
  const run = await submitRun(store, { samples: 360, lent: '0-19', builds, number: 3 });
  const jobOf = (at: number) => buildJob(recipeOfUnit(`knowledge/${UNITS[at]}`));
  const pinOf = (at: number) => {
    const unit = UNITS[at] ?? '';
    const recipe = recipeOfUnit(`knowledge/${unit}`);
    return {
      kind: 'knowledge',
      key: unit,
      recipe,
      generation: '20261118T090000000-abcdefghij',
      digest: digestOf(unit),
    };
  };
  const silent = await run.begin('w-dead', sampleJob(20));
  for (const at of [0, 1, 2]) {
    const build = await run.begin(`w-0${at}`, jobOf(at));
    await clock.advance(40_000);
    await build.end({ status: 'completed', usd: 1.4 + at / 10, pin: pinOf(at) });
  }
  await (await run.begin('w-01', jobOf(3))).end({
    status: 'errored',
    reason: 'the schema of debit_card cannot be read',
    usd: 0.3,
  });
  let position = 21;
  for (let tick = 0; tick < 130; tick++, position++) {
    const lease = await run.begin(`w-0${tick % 5}`, sampleJob(position));
    await clock.advance(2_500 + 2_500 * Math.abs(Math.sin(tick / 9)));
    if (tick % 37 === 11)
      await lease.end({
        status: 'errored',
        reason: 'SQL could not be parsed: near "FORM": syntax error',
        usd: 0.02,
      });
    else if (tick === 40) await lease.end({ status: 'lost', reason: 'w-00 gave no sign of life for 9 s' });
    else if (tick === 77)
      await lease.end({ status: 'aside', reason: 'three workers were lost on it: w-07, w-08, w-dead' });
    else await lease.end({ status: 'completed', usd: 0.015 + (tick % 7) / 200 });
  }
  await run.begin('w-03', jobOf(4));
  await clock.advance(24_000);
  const refusing = await run.worker('w-old', 8);
  refusing.refuse(run.run, 'it runs Node 22.4.0, and the bundle wants 24.21.0');
  await refusing.give();
  for (let n = 0; n < 12; n++) {
    await run.begin(`w-0${n % 5}`, sampleJob(position++));
    await clock.advance(700);
  }
  for (let n = 0; n < 5; n++) await run.worker(`w-0${n}`);
  await refusing.give();
  void silent;
  return run;
}
