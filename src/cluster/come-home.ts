import { type Clock, toJson } from '../base/index.ts';
import { type Disk, sweepTemps } from '../disk/index.ts';
import { importWriter, listWriters, openRunJournals, type StateDir } from '../journal/index.ts';
import type { LogStore } from '../log/index.ts';
import { applySeal, planSeal, type SealPlan } from '../seal/index.ts';
import { parseRanges } from './ranges.ts';
import { type JobId, parseJob, type SharedPlace } from './shared-keys.ts';
import type { LeaseEnded } from './shared-records.ts';
import type { SharedRun } from './shared-run.ts';

export interface HomeOptions {
  readonly disk: Disk;
  readonly clock: Clock;
  readonly place: SharedPlace;
  /** Where journals are put together. */
  readonly state: StateDir;
  readonly logs: LogStore;
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
}

/** What came home of a shared run. The same goes to the terminal, to `--json` and into the log. */
export interface HomeReport {
  readonly run: string;
  readonly round: number;
  /** False while something is still due: then there is no log yet. */
  readonly isComplete: boolean;
  readonly samples: {
    readonly planned: number;
    readonly completed: number;
    readonly reused: number;
    readonly errored: number;
    /** Over, and without a result: set aside, with the reason. */
    readonly aside: number;
    /** Not over yet. */
    readonly due: number;
  };
  readonly aside: readonly { readonly job: JobId; readonly reason: string }[];
  /** Leases whose workers did not come back, each with the reason, and who found out. */
  readonly lostLeases: readonly {
    readonly job: JobId;
    readonly n: number;
    readonly by: string;
    readonly reason: string;
  }[];
  /** An end names a result that its writer's segments do not hold: this never happens. */
  readonly lostResults: readonly JobId[];
  readonly writers: number;
  readonly usd: number;
  readonly log?: string;
  readonly problems: readonly string[];
}

/**
 * Brings home what the workers of a shared run made, and seals one log of it, as every run is sealed: of each sample the
 * attempt that the end of a lease names [SHR-5].
 *
 * ### Ordering
 * Leases are read before segments: what an end promises is in the bucket before it [SHR-4], so it is there when the segments are read.
 */
export async function comeHome(shared: SharedRun, options: HomeOptions): Promise<HomeReport> {
  const { disk, place, state, logs } = options;
  await shared.refresh();
  const { run } = shared;
  const incoming = state.incomingDir(run);
  await sweepTemps(disk, state.path);
  await disk.makeDir(incoming);
  try {
    const problems: string[] = [];
    const writers = await listWriters(place.bucket, place.prefix, run);
    for (const writer of writers)
      problems.push(...(await importWriter({ disk, ...place, run, writer, runDir: incoming })).problems);
    if (writers.length === 0) return reportOf(shared, { writers: 0, usd: 0, problems });
    const journals = await openRunJournals({ disk, runDir: incoming });
    try {
      const named = new Set(endsOf(shared).flatMap(({ origin }) => origin ?? []));
      const plan = await planSeal(journals, logs, (origin) => named.has(origin));
      const there = new Set<string>();
      for (const { origin, status } of journals.outline()) if (status !== undefined) there.add(origin);
      const about = { writers: writers.length, usd: journals.spentUsd(), there };
      const report = reportOf(shared, { ...about, problems: [...problems, ...plan.problems] });
      return shared.isComplete ? await sealed(plan, report, options) : report;
    } finally {
      journals.close();
    }
  } finally {
    await disk.removeTree(incoming);
  }
}

/** What a log says of the workers that made it. */
export const SHARED_KEY = 'holdfast_shared';

async function sealed(plan: SealPlan, report: HomeReport, options: HomeOptions): Promise<HomeReport> {
  const { clock, logs, onProgress } = options;
  const { place } = await applySeal(plan, {
    ...{ clock, logs, onProgress },
    outcome: { status: 'success' },
    metadata: () => ({ [SHARED_KEY]: toJson(report) }),
  });
  return { ...report, log: place };
}

interface Found {
  readonly writers: number;
  readonly usd: number;
  readonly problems: readonly string[];
  /** Attempts with a result, by origin. */
  readonly there?: ReadonlySet<string>;
}

function reportOf(shared: SharedRun, { writers, usd, problems, there }: Found): HomeReport {
  const { run, round, isComplete, submission } = shared;
  const counts = { completed: 0, errored: 0, aside: 0, due: 0 };
  const aside: HomeReport['aside'][number][] = [];
  const lostResults: JobId[] = [];
  for (const job of shared.jobs()) {
    const end = shared.endOf(job);
    const isSample = parseJob(job)?.kind === 'sample';
    if (!end) counts.due += isSample ? 1 : 0;
    else if (end.status === 'aside') {
      aside.push({ job, reason: end.reason ?? '' });
      counts.aside += isSample ? 1 : 0;
    } else if (isSample) {
      counts[end.status === 'completed' ? 'completed' : 'errored']++;
      if (end.origin === undefined || !there?.has(end.origin)) lostResults.push(job);
    }
  }
  return {
    ...{ run, round, isComplete, aside, lostResults, writers, usd, problems },
    samples: { planned: submission.samples, reused: lentBy(submission), ...counts },
    lostLeases: endsOf(shared).flatMap(lostLease),
  };
}

function lentBy({ lent }: SharedRun['submission']): number {
  return (parseRanges(lent) ?? []).reduce((sum, [first, last]) => sum + last - first + 1, 0);
}

function lostLease({ job, n, status, reason = '', by }: LeaseEnded): HomeReport['lostLeases'] {
  return status === 'lost' ? [{ job, n, by, reason }] : [];
}

function endsOf(shared: SharedRun): readonly LeaseEnded[] {
  const ends: LeaseEnded[] = [];
  for (const job of shared.jobs()) for (const { ended } of shared.leasesOf(job)) if (ended) ends.push(ended);
  return ends;
}
