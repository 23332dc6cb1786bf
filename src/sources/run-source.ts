import type { RunId } from '../base/index.ts';
import type { LogReader, RunReader } from '../log/index.ts';
import { isSince, type ResultsStore, type RunMarks } from '../results/index.ts';
import type { SourceRow } from './source-row.ts';

/**
 * Somewhere that runs are kept: a results store, a folder or bucket of logs, the journals beside them, a results branch of another
 * tool. It is only read. Every implementation passes `test/contract/run-source.ts`:
 *
 * - [SRC-1] `runs` gives every run once, newest first: by descending ids. Whoever stops early pays only for what was taken, as far
 *   as the source can tell the order without looking into all of it.
 * - [SRC-2] With `before` it begins after that run, which need not be there any more; with `sinceMs` it gives only runs that
 *   began then or later.
 * - [SRC-3] `at` of a run, given back together with `before`, goes on in the state that the source was in: what others add
 *   meanwhile neither moves nor repeats a run. When that state is gone, it goes on in what is there.
 * - [SRC-4] A run that cannot be read is given with its damage, and hinders no other: unreadable is not absent.
 * - [SRC-5] `find` takes an id, its beginning, the beginning of its part after the dash, or the name that the source itself
 *   gives the run. Undefined when there is none; E_RUN_AMBIGUOUS when there are several. With `maxAgeMs` it may tell of a moment ago.
 * - [SRC-6] `open` reads the run itself; where it is kept as documents of a log, `openLog` reads it as such. Whoever opens closes.
 * - [SRC-7] `changes` gives the runs that came or are others since a position, newest first, and names those that are gone; without a
 *   position, or with one that is not known any more, all runs. When nothing happened it costs next to nothing.
 * - [SRC-8] `at` gives the source as it was at a commit, for ever: whatever is added to it later, the answers stay. Whoever asks closes it.
 */
export interface RunSource extends AsyncDisposable {
  /** How people name it. */
  readonly place: string;
  /** What it holds. */
  readonly kind: 'results' | 'logs' | 'journals' | 'agentv';
  /** The store behind results, for those who say something of runs, too. */
  readonly results?: ResultsStore;
  runs(options?: RunsOptions): AsyncIterable<SourceRun>;
  find(given: string, options?: FindOptions): Promise<SourceRun | undefined>;
  /** Absent where only listing tells, and that is cheap. */
  changes?(since: string | undefined, signal?: AbortSignal): Promise<SourceChanges>;
  /** Which runs there may be, as one text that is another when one comes or goes: for asking twice a second. Absent where that is not cheap. */
  glance?(): Promise<string>;
  /** Absent where nothing names a state of it. */
  at?(commit: string): Promise<RunSource>;
}

export interface FindOptions {
  /** What the source knows may be so old: whoever opens run after run does not want all of them listed for each. Default 0. */
  readonly maxAgeMs?: number;
}

/** What happened in a source between two moments. */
export interface SourceChanges {
  /** Given back, it is asked what happened since. */
  readonly position: string;
  /** True when `runs` are all that there are. */
  readonly isAll: boolean;
  readonly runs: AsyncIterable<SourceRun>;
  readonly gone: readonly RunId[];
}

export interface RunsOptions {
  readonly before?: RunId | undefined;
  readonly at?: string | undefined;
  readonly sinceMs?: number | undefined;
  /** About how many will be taken; only a hint. */
  readonly atATime?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export const NO_RUNS: AsyncIterable<never> = {
  async *[Symbol.asyncIterator]() {
    // Nothing happened.
  },
};

/**
 * How a run is kept. `published`: in the results. `log`: as a finished log, or one of Inspect's under way. `running`, `interrupted`:
 * only its journals are there, and its writer is alive or dead; `unknown`: nobody can tell, because it is on another machine.
 */
export type RunForm = 'published' | 'log' | 'running' | 'interrupted' | 'unknown' | 'agentv';

export type SourceRun = RunKept &
  (
    | { readonly row: SourceRow; readonly damage?: undefined }
    | { readonly damage: string; readonly row?: undefined }
  );

export interface RunKept {
  readonly run: RunId;
  readonly form: RunForm;
  /** The place of its source. */
  readonly place: string;
  /** What the source itself calls it: the name of a log, the path of a folder. */
  readonly name: string;
  /** What people said of it, where it is published. */
  readonly marks?: RunMarks | undefined;
  /** Other copies of it in the same source, such as a log that was scored anew, or one that is cut off. */
  readonly copies?: readonly RunCopy[];
  /** See [SRC-3]; opaque. */
  readonly at?: string;
  open(): Promise<RunReader>;
  readonly openLog?: () => Promise<LogReader>;
}

export interface RunCopy {
  readonly name: string;
  readonly damage?: string;
}

/** Which ids [SRC-2] leaves. */
export function isWithin(run: RunId, { before, sinceMs }: Pick<RunsOptions, 'before' | 'sinceMs'>): boolean {
  if (before !== undefined && run >= before) return false;
  if (sinceMs === undefined) return true;
  return isSince(run, sinceMs);
}

/** Newest first. */
export function byIdDescending(a: { readonly run: RunId }, b: { readonly run: RunId }): number {
  return a.run < b.run ? 1 : a.run > b.run ? -1 : 0;
}
