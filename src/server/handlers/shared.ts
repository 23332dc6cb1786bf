import { ActionableError, counted, definedOf, UsageError } from '../../base/index.ts';
import { jobNames, type RunStatus, type SeenWorker, type SharedRun } from '../../cluster/index.ts';
import { formatCount } from '../../views/index.ts';
import type {
  SharedFailures,
  SharedLeases,
  SharedPage,
  SharedQueue,
  SharedRow,
  SharedRunView,
  SharedWorkers,
} from '../api.ts';
import type { Call } from '../call.ts';
import { problemOf } from '../error-answer.ts';

import { buildsOf } from '../shared/shared-builds.ts';
import { sharedCommands } from '../shared/shared-commands.ts';
import { failuresOf, unpricedEnds } from '../shared/shared-failures.ts';
import { ratesOf } from '../shared/shared-rates.ts';
import type { SeenRun, SharedRuns } from '../shared/shared-runs.ts';
import { workerViews } from '../shared/shared-workers.ts';
import type { Studio } from '../studio.ts';

/** Shared runs, the latest first. One that cannot be read hides no other. */
export async function shared({ studio, query, signal }: Call<'shared'>): Promise<SharedPage> {
  const { offset, limit } = query;
  const { shared: runs } = studio;
  if (!runs) return { bucket: null, whyNone: whyNone(studio), runs: [], damaged: [], offset, total: 0 };
  const ids = await runs.ids();
  const rows: SharedRow[] = [];
  const damaged: SharedPage['damaged'] = [];
  for (const run of ids.slice(offset, offset + limit)) {
    signal.throwIfAborted();
    try {
      rows.push(rowOf(await runs.run(run)));
    } catch (error) {
      if (!(error instanceof ActionableError)) throw error;
      damaged.push({ run, problem: problemOf(error) });
    }
  }
  return { bucket: runs.url, runs: rows, damaged, offset, total: ids.length };
}

/** One of them: everything but the lists that may be long. */
export async function sharedRun({ studio, params }: Call<'sharedRun'>): Promise<SharedRunView> {
  const runs = runsOf(studio);
  const seen = await runs.run(params.run ?? '');
  const { shared: run, status } = seen;
  const isOver =
    status.state === 'complete' || (status.state === 'cancelled' && status.inFlight.length === 0);
  const cached = await studio.artifacts?.digests();
  return {
    bucket: runs.url,
    row: rowOf(seen),
    said: saidOf(status),
    rates: ratesOf(run, isOver ? undefined : studio.clock.nowMs()),
    rounds: run.rounds.map(({ begun: { n, by, at }, cancelled }) => ({
      ...{ n, by, at },
      ...definedOf({ cancelled: cancelled && cancelledView(cancelled) }),
    })),
    builds: buildsOf(seen, (digest) => cached?.has(digest) ?? false),
    damaged: [...status.damaged],
    inFlight: status.inFlight.length,
    failureCount: failuresOf(run).length,
    isHere: studio.index.items().some((item) => item.run === status.run),
    commands: sharedCommands(status, runs.url),
  };
}

export async function sharedWorkers({
  studio,
  params,
  query: { offset, limit },
}: Call<'sharedWorkers'>): Promise<SharedWorkers> {
  const workers = workerViews(await runsOf(studio).run(params.run ?? ''));
  return { workers: workers.slice(offset, offset + limit), offset, total: workers.length };
}

export async function sharedLeases({
  studio,
  params,
  query: { offset, limit },
}: Call<'sharedLeases'>): Promise<SharedLeases> {
  const { shared: run, status } = await runsOf(studio).run(params.run ?? '');
  const nameOf = jobNames(run.submission);
  const sorted = status.inFlight.toSorted((a, b) => (a.since < b.since ? -1 : a.since > b.since ? 1 : 0));
  const leases = sorted.slice(offset, offset + limit).map((one) => ({ ...one, ...nameOf(one.job) }));
  return { leases, offset, total: sorted.length };
}

export async function sharedFailures({
  studio,
  params,
  query: { offset, limit },
}: Call<'sharedFailures'>): Promise<SharedFailures> {
  const failures = failuresOf((await runsOf(studio).run(params.run ?? '')).shared);
  return { failures: failures.slice(offset, offset + limit), offset, total: failures.length };
}

/** Apart from the rest: a queue that is away is waited for, and nothing else should be. */
export async function sharedQueue({ studio, params }: Call<'sharedQueue'>): Promise<SharedQueue> {
  const runs = runsOf(studio);
  const { shared: run } = await runs.run(params.run ?? '');
  try {
    const queue = await runs.queue();
    if (!queue) return NO_QUEUE;
    return { is: 'known', atMost: await queue.count(run.run) };
  } catch (error) {
    if (!(error instanceof ActionableError)) throw error;
    return { is: 'away', problem: problemOf(error) };
  }
}

const NO_QUEUE: SharedQueue = {
  is: 'none',
  said: 'No queue is named, so it is not known what waits in it.',
  hint: 'Start the Studio with --queue redis://…, or set HOLDFAST_QUEUE, or "queue" in holdfast.config.',
};

function runsOf(studio: Studio): SharedRuns {
  if (studio.shared) return studio.shared;
  const { said, hint } = whyNone(studio);
  throw new UsageError({ code: 'E_SHARED_BUCKET', message: said, hint });
}

function whyNone({ pinned }: Studio): { said: string; hint: string } {
  if (pinned)
    return {
      said: 'Shared runs lie in a bucket, and these are the results as they were.',
      hint: 'Open the Studio as it is to see them.',
    };
  return {
    said: 'No bucket is named, and shared runs live in one.',
    hint: 'Start the Studio with --bucket s3://…, or set HOLDFAST_BUCKET, or "bucket" in holdfast.config.',
  };
}

function rowOf({ shared: run, status }: SeenRun): SharedRow {
  const { inFlight: _, cancelled: _cancelled, workers, ...row } = status;
  const counts = { live: 0, refusing: 0, silent: 0, ended: 0, unknown: 0 };
  for (const worker of workers) counts[isRefusing(worker, status.run) ? 'refusing' : worker.state]++;
  return { ...row, workers: counts, unpriced: unpricedEnds(run), damaged: status.damaged.length };
}

function cancelledView({ by, at, reason }: NonNullable<SharedRun['rounds'][number]['cancelled']>) {
  return { by, at, ...definedOf({ reason }) };
}

/** How it goes, in one sentence. */
function saidOf({ run, state, samples, workers, inFlight }: RunStatus): string {
  const done = samples.completed + samples.reused;
  const of = `${formatCount(done)} of ${counted(samples.planned, 'sample')} done`;
  const also = [
    ...(samples.errored === 0 ? [] : [`, ${formatCount(samples.errored)} failed`]),
    ...(samples.aside === 0 ? [] : [`, ${formatCount(samples.aside)} set aside`]),
    ...(samples.damaged === 0 ? [] : [`, ${formatCount(samples.damaged)} damaged`]),
  ].join('');
  const willing = workers.filter((worker) => worker.state === 'live' && !isRefusing(worker, run));
  const live = counted(willing.length, 'worker');
  switch (state) {
    case 'queued':
      return `${of}: nothing was begun yet, and ${live} ${live.startsWith('1 ') ? 'is' : 'are'} there.`;
    case 'running':
      return `${of}${also}; ${counted(inFlight.length, 'job')} under way on ${live}.`;
    case 'stalled':
      return `${of}${also}: all who had jobs of it fell silent, and nobody else is there.`;
    case 'interrupted':
      return `${of}${also}: something is due, and no worker is there.`;
    case 'cancelled':
      return `${of}${also}, then it was cancelled; what is missing can be resumed.`;
    case 'unknown':
      return `${of}${also}: it cannot be told whether those who have jobs of it live, because nothing may be written to the bucket from here, and only so its time is known.`;
    case 'complete':
      return `${of}${also}: nothing is due any more.`;
  }
}

function isRefusing({ state, refuses }: SeenWorker, run: string): boolean {
  return state === 'live' && refuses.some((one) => one.run === run);
}
