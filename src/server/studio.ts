import type { Clock, RunId } from '../base/index.ts';
import type { LogReader, RunReader } from '../log/index.ts';
import type { ResultsStore } from '../results/index.ts';
import type { RunInForms, RunSource } from '../sources/index.ts';
import type { IndexState, LiveEvent, RunItem, SourceState } from './api.ts';
import type { WarmCache } from './artifacts/warm-cache.ts';
import type { SharedRuns } from './shared/shared-runs.ts';

/** Everything that the handlers know of the world. */
export interface Studio extends AsyncDisposable {
  readonly clock: Clock;
  readonly sources: readonly RunSource[];
  /** Whether what is served was named, and is not what a command finds in the folder where it is typed. */
  readonly isElsewhere: boolean;
  /** Undefined when no results were begun: then nothing can be written. */
  readonly results: ResultsStore | undefined;
  readonly index: RunIndex;
  readonly live: LiveFeed;
  /** The shared runs of a bucket. Undefined where none is named, and where the results are shown as they were. */
  readonly shared?: SharedRuns | undefined;
  /** The warm cache. Undefined where the results are shown as they were. */
  readonly artifacts?: WarmCache | undefined;
  /** Present where the results are shown as they were at a commit: nothing else is, and nothing can be written. */
  readonly pinned?: PinnedState;
  /** The results alone, as they were at a commit. Whoever leases it gives it back. Absent where they are so already. */
  at?(commit: string): Promise<StudioLease>;
  /** Opens the form of the run that is shown. Whoever opens closes; what was open a moment ago is not opened again. */
  open(run: string): Promise<OpenRun>;
}

/** A Studio while somebody uses it: until it is given back it stays open. */
export interface StudioLease extends Disposable {
  readonly studio: Studio;
}

export interface PinnedState {
  readonly commit: string;
  readonly whenMs?: number;
  /** Whether nothing has come since. */
  isNewest(): Promise<boolean>;
}

/** All runs of all sources, as far as they have been looked at. */
export interface RunIndex {
  readonly isWhole: boolean;
  /** Newest first. While the index is not whole, only the newest. */
  items(): readonly RunItem[];
  /** E_RUN_UNKNOWN when there is none; takes what `find` of a source takes. */
  find(given: string): Promise<FoundRun>;
  /** Changes with anything that any list shows. */
  readonly version: string;
  /** Resolves when all sources have been looked at once; rejects when the signal is aborted. */
  whole(signal: AbortSignal): Promise<void>;
  /** Resolves when there are rows to show, or it is known that there are none; does not wait long for a slow source. */
  begun(signal: AbortSignal): Promise<void>;
  readonly state: IndexState;
  /** Each source as it was at the last look; one that fails hinders no other. */
  sources(): readonly SourceState[];
  /** Looks at all sources once more, or at those of a kind, for whoever has just changed something there. */
  lookAgain(kind?: SourceState['kind']): Promise<void>;
}

export interface FoundRun {
  readonly run: RunId;
  readonly item: RunItem;
  readonly inForms: RunInForms;
}

/** A run that is open. */
export interface OpenRun extends AsyncDisposable {
  readonly found: FoundRun;
  readonly reader: RunReader;
  /** Present where it is kept as a log. */
  readonly log: LogReader | undefined;
  /** Changes with anything that can be read of the run; undefined while it is under way. */
  readonly version: string | undefined;
}

export interface LiveFeed {
  /** What happened after an earlier event; `reset` first when that is not known any more. Ends with the signal. */
  after(
    lastId: string | undefined,
    signal: AbortSignal,
  ): AsyncIterable<{ readonly id: string; readonly event: LiveEvent }>;
  tell(event: LiveEvent): void;
}
