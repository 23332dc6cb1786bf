import type { Clock, Random } from '../base/index.ts';
import type { Bucket } from '../bucket/index.ts';
import type { EvalCode } from '../code/index.ts';
import type { Shard } from '../datasets/index.ts';
import type { Disk } from '../disk/index.ts';
import type { PlannedEval } from '../evals/index.ts';
import type { LoggedCode } from '../log/index.ts';
import type { EarlierLogs } from '../reuse/index.ts';
import type { Models, OnFolder } from '../targets/index.ts';
import type { ReuseMode } from './earlier-runs.ts';
import type { Elsewhere } from './elsewhere.ts';
import type { Slots, StopSignals } from './execute.ts';
import type { RunObserver } from './observer.ts';
import type { Places } from './places.ts';

/** What all runs of a set have in common, every default filled in: one object that goes down as it is. */
export interface RunSettings {
  readonly disk: Disk;
  readonly clock: Clock;
  readonly random: Random;
  readonly places: Places;
  readonly slots: Slots;
  readonly signals: StopSignals;
  /** How long running samples may go on after a drain. */
  readonly graceMs: number;
  readonly reuse: ReuseMode;
  /** Finished logs that are kept elsewhere: published runs. */
  readonly earlierLogs?: EarlierLogs | undefined;
  /** Runs that this very command began: they are its own also when nothing of others is to be taken. */
  readonly ownRuns: ReadonlySet<string>;
  /** Outputs stand although the code of the target has changed since. */
  readonly keepOutputs: boolean;
  /** undefined: as often as the journal ships by itself. */
  readonly segmentIntervalMs: number | undefined;
  /** The user vouches that runs whose process cannot be seen from here are dead. */
  readonly forceDead: boolean;
  /** Writers that were fenced in the bucket before this run began: what they shipped is gone on with, whoever they are. */
  readonly fenced?: ReadonlySet<string> | undefined;
  /** A run of which nothing is left is sealed although it was told to stop, or its money is spent. Builds: nobody comes back to one whose folder is filled. */
  readonly sealsWhatIsWhole?: boolean | undefined;
  /** Where artifacts are kept. */
  readonly artifacts: ArtifactSettings;
  /** Other processes that run the samples; undefined: this one does. */
  readonly elsewhere?: Elsewhere | undefined;
  /** Told the folders in which samples and builds work: whoever streams what is in them as evidence wants to know. */
  readonly onFolder?: OnFolder | undefined;
  /** Holdfast's own version, for the log. */
  readonly version: string;
  readonly revision?: LoggedCode | undefined;
}

export interface ArtifactSettings {
  /** The cache of this project. */
  readonly dir: string;
  /** What machines share artifacts by. */
  readonly store?: Bucket | undefined;
  /** Paths of this machine that no file of an artifact may hold. */
  readonly hostPaths: readonly string[];
}

export const GRACE_MS = 30_000;

/** One eval on one target, and what is its own. */
export interface RunTask {
  /** Planned once; its target is resolved once, from here. */
  readonly eval: PlannedEval;
  /** The model named on the command line: what `generate` asks, or the target of an eval that names none. */
  readonly model: string | undefined;
  /** The eval's file, as the log shall name it. */
  readonly file: string | undefined;
  /** Where relative paths start. */
  readonly baseDir: string;
  /** Only a slice of the rows: others run the rest. */
  readonly shard?: Shard | undefined;
  readonly models: Models;
  /** True when its budget is that of the whole set. */
  readonly isBudgetShared?: boolean;
  /** Its code, when it comes from a module. */
  readonly code: EvalCode | undefined;
  readonly observer: RunObserver | undefined;
}
