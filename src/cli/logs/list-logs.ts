import { ActionableError, inOrder, messageOf, sampleKeyText } from '../../base/index.ts';
import type { Disk } from '../../disk/index.ts';
import { type FoundRun, findRuns, lookAtRun, type StateDir } from '../../journal/index.ts';
import { type EvalResults, type ReadableLogs, repairedLog, type StoredLog } from '../../log/index.ts';

/** A finished log, or a file that should be one. */
export interface ListedLog {
  readonly path: string;
  readonly sizeBytes: number;
  readonly created?: string;
  readonly eval?: string;
  readonly target?: string;
  readonly status?: string;
  readonly samples?: number;
  readonly completed?: number;
  /** The first metric of the first scorer. */
  readonly metric?: { readonly name: string; readonly value: number };
  /** Why it, or something of it, could not be read. */
  readonly problem?: string;
}

/** A run that has not ended in a log. */
export interface ListedRun {
  readonly path: string;
  readonly created?: string;
  readonly eval?: string;
  readonly target?: string;
  /** unknown: the writer was on another machine. */
  readonly liveness: 'alive' | 'dead' | 'unknown' | 'unreadable';
  readonly samples?: number;
  readonly completed?: number;
  readonly problem?: string;
}

/** A log waits for the disk or the bucket most of the time. */
const LOGS_AT_A_TIME = 16;

/** Every log of a directory or bucket, oldest first. What cannot be read is listed as such. */
export async function listLogs(store: ReadableLogs): Promise<readonly ListedLog[]> {
  const stored = await Array.fromAsync(store.list());
  const work = (one: StoredLog) => lookAtLog(store, one);
  return Array.fromAsync(inOrder(stored, { atATime: LOGS_AT_A_TIME, work }));
}

/** Runs that have not ended in a log, as far as can be told without changing anything. */
export async function listUnfinished(disk: Disk, state: StateDir): Promise<readonly ListedRun[]> {
  const { found, unreadable } = await findRuns(disk, state.path);
  const runs: ListedRun[] = [];
  for (const run of found) {
    const row = await rowOf(disk, run);
    if (row) runs.push(row);
  }
  // One that names no run is what a process left that died at once: it holds nothing.
  const broken = unreadable
    .filter(({ code }) => code !== 'E_JOURNAL_EMPTY')
    .map(({ path, reason }) => ({ path, liveness: 'unreadable' as const, problem: reason }));
  return [...runs, ...broken];
}

/** Undefined when it ended in a log while it was looked at. */
async function rowOf(disk: Disk, { dir, run, liveness }: FoundRun): Promise<ListedRun | undefined> {
  const journals = await lookAtRun({ disk, runDir: dir });
  if (!journals) return undefined;
  try {
    const completed = new Set<string>();
    for (const { id, epoch, status } of journals.outline())
      if (status === 'completed') completed.add(sampleKeyText(id, epoch));
    const { created, planned, identity } = run;
    const about = { path: dir, created, eval: identity.eval, target: identity.targetName };
    const problem = journals.damage.sentences.join(' ');
    return {
      ...about,
      liveness,
      samples: planned,
      completed: completed.size,
      ...(problem === '' ? {} : { problem }),
    };
  } finally {
    journals.close();
  }
}

async function lookAtLog(store: ReadableLogs, { name, sizeBytes }: StoredLog): Promise<ListedLog> {
  const path = store.placeOf(name);
  try {
    const opened = await store.open(name);
    const log = opened && repairedLog(opened);
    if (!log) return { path, sizeBytes, problem: 'It was removed while it was looked at.' };
    try {
      const { eval: spec, status, results } = await log.header();
      const metric = firstMetric(results);
      const [damage] = await log.checkDocuments();
      return {
        path,
        sizeBytes,
        created: spec.created,
        eval: spec.task,
        target: spec.model,
        status,
        ...(results ? { samples: results.total_samples, completed: results.completed_samples } : {}),
        ...(metric ? { metric } : {}),
        ...(damage ? { problem: damage.message } : {}),
      };
    } finally {
      await log.close();
    }
  } catch (error) {
    if (!(error instanceof ActionableError)) throw error;
    return { path, sizeBytes, problem: messageOf(error) };
  }
}

function firstMetric(results: EvalResults | undefined): ListedLog['metric'] {
  const [metric] = Object.values(results?.scores[0]?.metrics ?? {});
  return metric ? { name: metric.name, value: metric.value } : undefined;
}
