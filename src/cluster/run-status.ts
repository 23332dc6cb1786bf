import { definedOf } from '../base/index.ts';
import type { DamagedObject } from './damage.ts';
import { type JobName, jobNames } from './job-names.ts';
import { type JobId, parseJob } from './shared-keys.ts';
import type { LeaseBegun } from './shared-records.ts';
import type { SharedRun } from './shared-run.ts';
import { spentOn } from './spending.ts';
import { ageOf, type SeenWorker, type SeenWorkers, type WorkerState } from './workers-seen.ts';

/**
 * What is said of a run as a whole [SHR-9]:
 * - `queued`: nothing of this round was begun yet.
 * - `running`: a worker that lives has a job of it, or lives and had one.
 * - `stalled`: all who have jobs of it fell silent, and nobody else is there to find out.
 * - `interrupted`: something is due, nobody has it, and no worker is there; or the submission stopped before its first round.
 * - `unknown`: it cannot be told whether those who have jobs of it live.
 */
export type RunState =
  | 'queued'
  | 'running'
  | 'stalled'
  | 'interrupted'
  | 'complete'
  | 'cancelled'
  | 'unknown';

export interface JobInFlight extends JobName {
  readonly job: JobId;
  readonly worker: string;
  readonly host?: string;
  /** Which lease of the job it is. */
  readonly n: number;
  /** By the clock of the worker. */
  readonly since: string;
  /** By the clock of the bucket, as far as the last sign of life of the worker tells how far its own is off; null where it cannot be told. */
  readonly ageMs: number | null;
  readonly state: WorkerState;
}

export interface JobCounts {
  readonly planned: number;
  readonly completed: number;
  readonly errored: number;
  readonly aside: number;
  readonly running: number;
  readonly due: number;
  /** Nobody can tell what became of them in this round [SHR-24]. */
  readonly damaged: number;
}

export interface CancelledBy {
  readonly by: string;
  readonly at: string;
  readonly reason?: string;
  /** What of the run itself cancelled it: `budget`, `errors`, `calls`, `mistake`; a person otherwise. */
  readonly because?: string;
  /** Of a mistake: the code of the error, and what to do about it. */
  readonly code?: string;
  readonly hint?: string;
}

export interface RunStatus {
  readonly run: string;
  readonly state: RunState;
  readonly round: number;
  readonly eval: string;
  readonly target: string;
  readonly submittedAt: string;
  readonly submittedBy: string;
  readonly samples: JobCounts & { readonly reused: number };
  readonly builds: JobCounts;
  /** Leases whose workers did not come back, in all rounds. */
  readonly lostLeases: number;
  readonly usd: number;
  /** What it may cost, in all its rounds. */
  readonly budgetUsd?: number;
  /** True when that is one budget for all runs of its submit. */
  readonly isBudgetShared?: true;
  /** Of a run that was cancelled: by whom, and why if that was said. */
  readonly cancelled?: CancelledBy;
  /** Scorers that failed, each with on how many samples; those have their other scores. */
  readonly scorersFailed: Readonly<Record<string, number>>;
  readonly inFlight: readonly JobInFlight[];
  readonly workers: readonly SeenWorker[];
  /** What is there of the run and cannot be read [SHR-24]. */
  readonly damaged: readonly DamagedObject[];
  /** When something last ended, by the clock of whoever ended it. */
  readonly lastEndedAt?: string;
}

/** Derived from what is stored and from signs of life; nothing of it is stored anywhere. */
export function statusOf(shared: SharedRun, seen: SeenWorkers): RunStatus {
  const { submission, run, round } = shared;
  const [nameOf, byName] = [jobNames(submission), new Map(seen.workers.map((one) => [one.worker, one]))];
  const samples = new Counter();
  const builds = new Counter();
  const inFlight: JobInFlight[] = [];
  let [lostLeases, usd, lastEndedAt] = [0, 0, ''];
  for (const job of shared.jobs()) {
    const held = shared.heldBy(job);
    const end = shared.endOf(job);
    const counter = parseJob(job)?.kind === 'build' ? builds : samples;
    counter.count(end?.status ?? (held ? 'running' : shared.isDamaged(job) ? 'damaged' : 'due'));
    if (held && !end) inFlight.push(flightOf(held, { byName, seen, nameOf }));
    for (const spent of spentOn(shared, job)) usd += spent.usd;
    for (const { ended } of shared.leasesOf(job)) {
      if (!ended) continue;
      lostLeases += ended.status === 'lost' ? 1 : 0;
      if (ended.at > lastEndedAt) lastEndedAt = ended.at;
    }
  }
  const { record } = submission;
  const state = stateOf(shared, { inFlight, workers: seen.workers });
  const cancelled = state === 'cancelled' ? cancelledBy(shared) : undefined;
  const isBudgetShared = submission.purse === undefined ? undefined : (true as const);
  return {
    ...{ run, round, state, lostLeases, usd, inFlight, scorersFailed: scorersFailedIn(shared) },
    damaged: shared.damaged,
    ...{ eval: record.identity.eval, target: record.identity.targetName },
    ...{ submittedAt: submission.at, submittedBy: submission.by },
    samples: { ...samples.counts, planned: submission.samples, reused: shared.lentCount },
    builds: builds.counts,
    workers: seen.workers.filter((worker) => isOfInterest(worker, run)),
    ...definedOf({
      lastEndedAt: lastEndedAt || undefined,
      budgetUsd: shared.budgetUsd,
      cancelled,
      isBudgetShared,
    }),
  };
}

function scorersFailedIn(shared: SharedRun): RunStatus['scorersFailed'] {
  const failed: Record<string, number> = {};
  for (const job of shared.jobs())
    for (const scorer of shared.endOf(job)?.scorersFailed ?? []) failed[scorer] = (failed[scorer] ?? 0) + 1;
  return failed;
}

/** Of the latest round: who cancelled it, and why. */
export function cancelledBy({ cancelled }: SharedRun): CancelledBy | undefined {
  if (!cancelled) return undefined;
  const { by, at, reason, because, code, hint } = cancelled;
  return { by, at, ...definedOf({ reason, because, code, hint }) };
}

/** True when it was cancelled and nobody who may live works on it any more: what is there is all that this round will have. */
export function isSettled({ state, inFlight }: RunStatus): boolean {
  return state === 'cancelled' && inFlight.every(({ state: of }) => of !== 'live' && of !== 'unknown');
}

class Counter {
  readonly counts = { planned: 0, completed: 0, errored: 0, aside: 0, running: 0, due: 0, damaged: 0 };

  count(status: string): void {
    this.counts.planned++;
    if (status !== 'planned' && status in this.counts) this.counts[status as keyof JobCounts]++;
  }
}

interface FlightAbout {
  readonly byName: ReadonlyMap<string, SeenWorker>;
  readonly seen: SeenWorkers;
  readonly nameOf: (job: JobId) => JobName;
}

function flightOf({ job, worker, n, at }: LeaseBegun, { byName, seen, nameOf }: FlightAbout): JobInFlight {
  const known = byName.get(worker);
  // A worker gives a sign before it takes anything: one without any is gone.
  return {
    job,
    ...nameOf(job),
    worker,
    n,
    since: at,
    ageMs: ageOf(seen, { worker, at }),
    state: known?.state ?? 'ended',
    ...definedOf({ host: known?.host }),
  };
}

function stateOf(
  shared: SharedRun,
  {
    inFlight,
    workers,
  }: { readonly inFlight: readonly JobInFlight[]; readonly workers: readonly SeenWorker[] },
): RunState {
  if (shared.round === 0) return 'interrupted';
  if (shared.isComplete) return 'complete';
  if (shared.isCancelled) return 'cancelled';
  if (inFlight.some(({ state }) => state === 'live')) return 'running';
  if (inFlight.some(({ state }) => state === 'unknown')) return 'unknown';
  const isAnyoneThere = workers.some(
    ({ state, refuses }) => state === 'live' && !refuses.some(({ run }) => run === shared.run),
  );
  if (!shared.isBegun) return 'queued';
  if (isAnyoneThere) return 'running';
  return inFlight.length > 0 ? 'stalled' : 'interrupted';
}

/** Those that live, and those that had a job of this run when they were last heard of. */
function isOfInterest({ state, busy, refuses }: SeenWorker, run: string): boolean {
  return state === 'live' || [...busy, ...refuses].some((one) => one.run === run);
}
