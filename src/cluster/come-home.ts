import { join, parse } from 'node:path';
import { type Clock, definedOf, inOrder, toJson } from '../base/index.ts';
import { type Disk, sweepTemps } from '../disk/index.ts';
import {
  importWriter,
  type ListedChains,
  listSegments,
  openRunJournals,
  type RunJournals,
  type StateDir,
} from '../journal/index.ts';
import type { LogStore } from '../log/index.ts';
import { withPins } from '../runner/index.ts';
import { applySeal, countNotIn, planSeal, type SealPlan } from '../seal/index.ts';
import type { DamagedObject } from './damage.ts';
import { bringEvidenceHome, type EvidenceReport } from './evidence-home.ts';
import { withLenders } from './lender-logs.ts';
import { nodesOf, type UsedNode } from './nodes-of.ts';
import { parseRanges } from './ranges.ts';
import { refuseRemoved } from './removed-runs.ts';
import { type CancelledBy, cancelledBy } from './run-status.ts';
import { type JobId, parseJob, type SharedPlace } from './shared-keys.ts';
import type { LeaseEnded } from './shared-records.ts';
import type { SharedRun } from './shared-run.ts';
import { spentByWriters } from './spending.ts';

export interface HomeOptions {
  readonly disk: Disk;
  readonly clock: Clock;
  readonly place: SharedPlace;
  /** Where journals are put together. */
  readonly state: StateDir;
  readonly logs: LogStore;
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
  /** True when nobody works on a round that was cancelled any more: it gets a log of what is there. */
  readonly isSettled?: boolean | undefined;
  /** True to bring home what workers left as evidence. */
  readonly isEvidenceWanted?: boolean | undefined;
  /** Once it is aborted no log is begun: it rejects with the reason, and what was remembered of the bucket stays. */
  readonly signal?: AbortSignal | undefined;
}

/** What came home of a shared run. The same goes to the terminal, to `--json` and into the log. */
export interface HomeReport {
  readonly run: string;
  readonly round: number;
  /** False while something is still due: then there is no log yet, unless the round was cancelled. */
  readonly isComplete: boolean;
  /** Of a round that was cancelled before it was complete: by whom, and why if that was said. */
  readonly cancelled?: CancelledBy;
  /** It was cancelled before anything was done of it, and nobody works on it: there is nothing to make a log of. */
  readonly isUndone?: true;
  /** What it may cost, in all its rounds. */
  readonly budgetUsd?: number;
  readonly samples: {
    readonly planned: number;
    readonly completed: number;
    readonly reused: number;
    readonly errored: number;
    /** Over, and without a result: set aside, with the reason. */
    readonly aside: number;
    /** Not over yet. */
    readonly due: number;
    /** Nobody can tell what became of them in this round [SHR-24]. */
    readonly damaged: number;
  };
  /** Builds of artifacts that were due when it was submitted, by how they ended. Their cost is not in `usd`, which counts the samples. */
  readonly builds: {
    readonly completed: number;
    readonly errored: number;
    readonly aside: number;
    readonly due: number;
    readonly damaged: number;
    /** Of all who worked on them, as far as prices are known. */
    readonly usd: number;
  };
  readonly aside: readonly { readonly job: JobId; readonly reason: string }[];
  /** What is there of the run and cannot be read [SHR-24]. */
  readonly damaged: readonly DamagedObject[];
  /** Leases whose workers did not come back, each with the reason, and who found out; `fetch` where no end says so. */
  readonly lostLeases: readonly {
    readonly job: JobId;
    readonly n: number;
    readonly by: string;
    readonly reason: string;
  }[];
  /** An end names a result that its writer's segments do not hold: one of those is damaged, or gone. */
  readonly lostResults: readonly JobId[];
  readonly writers: number;
  /** Which Node they ran with: a worker that differs only in the minor version is not refused. */
  readonly nodes: readonly UsedNode[];
  readonly usd: number;
  readonly log?: string;
  /** What agents and targets left behind, where it was brought home; it decides nothing. */
  readonly evidence?: EvidenceReport;
  readonly problems: readonly string[];
}

/**
 * Brings home what the workers of a shared run made, and seals one log of it, as every run is sealed: of each sample the
 * attempt that the end of a lease names [SHR-5].
 *
 * ### Ordering
 * Leases are read before segments: what an end promises is in the bucket before it [SHR-4], so it is there when the segments are read. Before
 * anything is said of what was read it is asked whether the run was removed meanwhile [SHR-26].
 */
export async function comeHome(shared: SharedRun, options: HomeOptions): Promise<HomeReport> {
  const { disk, place, state, isSettled } = options;
  await shared.refresh();
  const { run } = shared;
  const incoming = state.incomingDir(run);
  await sweepTemps(disk, state.path);
  await disk.makeDir(incoming);
  try {
    const problems: string[] = [];
    const shipped = await listSegments({ ...place, run });
    problems.push(...(await importAll(shipped, { ...options, run, incoming })));
    // Before the seal: the log names it.
    const evidence = options.isEvidenceWanted ? await bringEvidenceHome(shared, options) : undefined;
    // What keeps evidence fails nothing, and so hears nothing of it.
    options.signal?.throwIfAborted();
    const { round } = shared;
    await refuseRemoved(shared, place, { round });
    const found = { problems, evidence, isSettled };
    if (shipped.size === 0)
      return settled(reportOf(shared, { ...found, writers: 0, nodes: [], usd: 0 }), options);
    const journals = await openRunJournals({ disk, runDir: incoming, run: shared.submission.record });
    try {
      const named = new Set(endsOf(shared).flatMap(({ origin }) => origin ?? []));
      const logs = withLenders(options.logs, place, { run, disk, scratchDir: incoming });
      const plan = withBuilt(await planSeal(journals, logs, (origin) => named.has(origin)), shared);
      // Also what lenders hold was read.
      await refuseRemoved(shared, place, { round });
      const about = { ...found, writers: shipped.size, ...usedIn(journals, shared) };
      const report = reportOf(shared, { ...about, problems: [...problems, ...plan.problems] });
      const isPartial = report.cancelled !== undefined && isSettled && plan.choices.length > 0;
      if (shared.isComplete || isPartial) return await sealed(plan, report, { ...options, lenders: logs });
      return plan.choices.length > 0 ? report : settled(report, options);
    } finally {
      journals.close();
    }
  } finally {
    await disk.removeTree(incoming);
  }
}

/** Says of what was cancelled that nothing follows, where there is nothing. */
function settled(report: HomeReport, { isSettled }: HomeOptions): HomeReport {
  return report.cancelled && isSettled ? { ...report, isUndone: true } : report;
}

/** So many writers are read at a time, each with some segments at a time: a bucket takes its time to answer, and only so many files may be open. */
const WRITERS_AT_A_TIME = 4;

/** Puts their journals together, in a folder that nobody relies on: a fetch that died begins anew. Gives what is wrong with them, in their order. */
async function importAll(
  shipped: ReadonlyMap<string, ListedChains>,
  { disk, place, run, incoming }: HomeOptions & { readonly run: string; readonly incoming: string },
): Promise<readonly string[]> {
  const problems: string[] = [];
  const reports = inOrder(shipped, {
    atATime: WRITERS_AT_A_TIME,
    work: ([writer, chains]) =>
      importWriter({ disk, ...place, run, writer, chains, runDir: incoming, isScratch: true }),
  });
  for await (const report of reports) problems.push(...report.problems);
  return problems;
}

function usedIn(journals: RunJournals, shared: SharedRun): Pick<Found, 'nodes' | 'usd' | 'there'> {
  const nodes = nodesOf(journals.readers.map((reader) => reader.writer()));
  const there = new Set<string>();
  for (const { origin, status } of journals.outline()) if (status !== undefined) there.add(origin);
  return { nodes, usd: spentAtAll(journals, shared), there };
}

/** What answers cost, and of writers whose agents paid for more themselves that. */
function spentAtAll(journals: RunJournals, shared: SharedRun): number {
  const byWriter = spentByWriters(shared);
  let usd = journals.spentUsd();
  for (const reader of journals.readers)
    usd += Math.max(0, (byWriter.get(reader.writer().writer) ?? 0) - reader.spentUsd());
  return usd;
}

/** What a log says of the workers that made it. */
export const SHARED_KEY = 'holdfast_shared';

async function sealed(
  plan: SealPlan,
  report: HomeReport,
  options: HomeOptions & { readonly lenders: LogStore },
): Promise<HomeReport> {
  const { clock, logs, lenders, onProgress } = options;
  const chosen = logNameOf(plan.run.logName, report);
  let lacking: number | undefined;
  for (let count = 1; ; count++) {
    const name = count === 1 ? chosen : numbered(chosen, count);
    const { place, wasThere } = await applySeal(plan, {
      ...{ clock, logs, lenders, onProgress, name },
      outcome: outcomeOf(report),
      metadata: () => ({ [SHARED_KEY]: toJson(report) }),
    });
    // One that was made before may lack what is known by now: a worker that was frozen came back, or the log was damaged since.
    const absent = wasThere ? await countNotIn(logs, name, plan) : 0;
    // What none of them could hold the next one cannot, either.
    if (absent === 0 || absent === lacking) return { ...report, log: place };
    lacking = absent;
  }
}

/**
 * Each round has a log of its own, and what is there of one that was cancelled another: one that was brought home before is not changed. Nor is
 * one without what is damaged in the place of the one that can be made once that is restored.
 */
function logNameOf(name: string, { round, isComplete, samples, builds, lostResults }: HomeReport): string {
  const { dir, name: stem, ext } = parse(name);
  const ofRound = round === 1 ? stem : `${stem}-round${round}`;
  const damaged = samples.damaged + builds.damaged + lostResults.length;
  const whole = damaged === 0 ? '' : `-without${damaged}`;
  return join(dir, `${ofRound}${isComplete ? '' : '-partial'}${whole}${ext}`);
}

function numbered(logName: string, count: number): string {
  const { dir, name, ext } = parse(logName);
  return join(dir, `${name}-${count}${ext}`);
}

/** What a person cancelled is `cancelled`; what its money or its failures ended is an error, with the reason. */
function outcomeOf({ isComplete, cancelled }: HomeReport): Parameters<typeof applySeal>[1]['outcome'] {
  if (isComplete) return { status: 'success' };
  if (cancelled?.because === undefined) return { status: 'cancelled' };
  const message = `The run was cancelled: ${(cancelled.reason ?? cancelled.because).replace(/\.$/, '')}.`;
  return { status: 'error', error: { message, traceback: `${message}\n`, traceback_ansi: `${message}\n` } };
}

/** [SHR-12] What samples read that was built after the run was submitted is named by its log, as all that they read. */
function withBuilt(plan: SealPlan, shared: SharedRun): SealPlan {
  const read = shared.submission.builds.filter(({ samples }) => samples !== '');
  const pins = read.flatMap(({ job }) => shared.endOf(job)?.pin ?? []);
  if (pins.length === 0) return plan;
  return { ...plan, run: { ...plan.run, start: withPins(plan.run.start, pins) } };
}

/** What was found in the segments of a run. */
export interface Found {
  readonly writers: number;
  readonly nodes: readonly UsedNode[];
  readonly usd: number;
  readonly problems: readonly string[];
  readonly evidence: EvidenceReport | undefined;
  /** Attempts with a result, by origin. */
  readonly there?: ReadonlySet<string>;
  /** Nobody who may live has anything of a round that was cancelled. */
  readonly isSettled?: boolean | undefined;
}

/** The account of a run as it was read. */
export function reportOf(
  shared: SharedRun,
  { writers, nodes, usd, problems, evidence, there, isSettled }: Found,
): HomeReport {
  const { run, round, isComplete, submission, budgetUsd, damaged } = shared;
  const cancelled = isComplete ? undefined : cancelledBy(shared);
  const counts = { completed: 0, errored: 0, aside: 0, due: 0, damaged: 0 };
  const aside: HomeReport['aside'][number][] = [];
  const lostResults: JobId[] = [];
  for (const job of shared.jobs()) {
    const end = shared.endOf(job);
    const isSample = parseJob(job)?.kind === 'sample';
    if (!end) counts[shared.isDamaged(job) ? 'damaged' : 'due'] += isSample ? 1 : 0;
    else if (end.status === 'aside') {
      aside.push({ job, reason: end.reason ?? '' });
      counts.aside += isSample ? 1 : 0;
    } else if (isSample) {
      counts[end.status === 'completed' ? 'completed' : 'errored']++;
      if (end.origin === undefined || !there?.has(end.origin)) lostResults.push(job);
    }
  }
  return {
    ...{ run, round, isComplete, aside, damaged, lostResults, writers, nodes, usd, problems },
    samples: { planned: submission.samples, reused: lentBy(submission), ...counts },
    builds: buildsOf(shared),
    lostLeases: [
      ...endsOf(shared).flatMap(lostLease),
      ...(cancelled && isSettled ? silentLeases(shared) : []),
    ],
    ...definedOf({ evidence, cancelled, budgetUsd }),
  };
}

function buildsOf(shared: SharedRun): HomeReport['builds'] {
  const counts = { completed: 0, errored: 0, aside: 0, due: 0, damaged: 0 };
  let usd = 0;
  for (const { job } of shared.submission.builds) {
    const status = shared.endOf(job)?.status;
    if (status === undefined) counts[shared.isDamaged(job) ? 'damaged' : 'due']++;
    else if (status === 'aside') counts.aside++;
    else counts[status === 'completed' ? 'completed' : 'errored']++;
    // Each says what it had cost by then, over all who worked on it.
    usd += Math.max(0, ...shared.leasesOf(job).map(({ ended }) => ended?.usd ?? 0));
  }
  return { ...counts, usd };
}

function lentBy({ lent }: SharedRun['submission']): number {
  return (parseRanges(lent) ?? []).reduce((sum, [first, last]) => sum + last - first + 1, 0);
}

function lostLease({ job, n, status, reason = '', by }: LeaseEnded): HomeReport['lostLeases'] {
  return status === 'lost' ? [{ job, n, by, reason }] : [];
}

/**
 * Of a round that was cancelled nobody is handed what a worker had that fell silent, so no end says that it was lost. One that comes back later
 * ends its lease: then the next account does not have it any more.
 */
function silentLeases(shared: SharedRun): HomeReport['lostLeases'] {
  return [...shared.jobs()].flatMap((job) => {
    const last = shared.leasesOf(job).at(-1);
    if (!last || last.ended || last.damaged) return [];
    const { n, worker } = last.begun;
    const reason = `worker ${worker} gave no sign of life any more when the run was fetched, which had been cancelled`;
    return [{ job, n, by: 'fetch', reason }];
  });
}

function endsOf(shared: SharedRun): readonly LeaseEnded[] {
  const ends: LeaseEnded[] = [];
  for (const job of shared.jobs()) for (const { ended } of shared.leasesOf(job)) if (ended) ends.push(ended);
  return ends;
}
