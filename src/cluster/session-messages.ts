import type { SampleKey } from '../base/index.ts';
import type { SeenFolder } from '../bucket/index.ts';
import type { HeardCall } from '../targets/index.ts';
import type { AskedOfKeeper } from './asked-limiter.ts';
import type { Lease } from './lease-standing.ts';
import type { BudgetTold } from './session-limits.ts';
import type { LeaseBegun, Submission } from './shared-records.ts';
import type { ToldError } from './told-error.ts';
import type { JobResult } from './work-on-job.ts';

/** What a session has to know to begin: all else is in the bucket. */
export interface SessionBegin {
  readonly submission: Submission;
  /** The bucket of the run, and what its keys begin with. */
  readonly bucket: string;
  readonly prefix: string;
  /** What the worker saw at the place, if that is a folder: a process that begins while it is away would take another for it. */
  readonly seen?: SeenFolder | undefined;
  /** Folders of this machine: journals of the run, and the cache of artifacts. */
  readonly stateDir: string;
  readonly artifactsDir: string;
  /** Of a process that does one job: the folder of what it prints on its descriptors. */
  readonly outputsDir?: string | undefined;
}

/** What a worker says to the process in which it runs the code of one run. Both are the same version of the same program. */
export type ToSession =
  | ({ readonly kind: 'begin' } & SessionBegin)
  | {
      readonly kind: 'work';
      readonly id: number;
      readonly lease: LeaseBegun;
      readonly earlier: readonly Lease[];
    }
  | { readonly kind: 'abort'; readonly id: number; readonly reason: string }
  /** What is left of the money of the run, over all workers. */
  | ({ readonly kind: 'budget' } & BudgetTold)
  /** A call may be made, unless the budget that was told before says otherwise. */
  | { readonly kind: 'entered'; readonly id: number }
  /** Nothing more will come. */
  | { readonly kind: 'end' };

/** And what that one says. */
export type FromSession =
  /**
   * What the eval wants redacted, as soon as that is known: whatever else is said of the run, or printed by its process, goes to people and into the
   * bucket through the worker.
   */
  | { readonly kind: 'redact'; readonly patterns: readonly RegExp[] }
  | { readonly kind: 'opened'; readonly writer: string }
  /** Which sample a job is, before it is begun. */
  | { readonly kind: 'sample'; readonly id: number; readonly sample: SampleKey }
  | { readonly kind: 'refused'; readonly error: ToldError }
  | { readonly kind: 'worked'; readonly id: number; readonly result: JobResult }
  | { readonly kind: 'failed'; readonly id: number; readonly error: ToldError }
  /** It can do nothing more, and none of its jobs is to blame. */
  | { readonly kind: 'broken'; readonly error: ToldError }
  | AskedOfKeeper
  /** What a call came to: the worker counts those of all its processes [SHR-22]. */
  | { readonly kind: 'called'; readonly call: HeardCall }
  | { readonly kind: 'spent'; readonly usd: number | undefined }
  | { readonly kind: 'note'; readonly text: string };
