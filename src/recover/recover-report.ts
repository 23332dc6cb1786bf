import type { ErrorCode, SampleId } from '../base/index.ts';
import type { Liveness } from '../disk/index.ts';
import type { EvalResults, LogStatus } from '../log/index.ts';

/** Where samples of a crashed run can be found. */
export type SourceKind = 'journal' | 'segments' | 'database' | 'filestore' | 'log' | 'torn log';

/** Something that was missing or damaged, and was worked around. */
export interface RecoverProblem {
  readonly code: ErrorCode;
  readonly message: string;
  readonly sample?: { readonly id: SampleId; readonly epoch: number };
}

export interface SampleAccount {
  readonly id: SampleId;
  readonly epoch: number;
  /** `flushed`: the crashed log held it whole. `completed`: only its writing was missing. `lost`: nothing is left. */
  readonly state: 'flushed' | 'completed' | 'errored' | 'in-flight' | 'lost';
  readonly from: readonly SourceKind[];
  /** How many events the log holds of it; undefined when it was copied without being read. */
  readonly events?: number;
  /** Events that were still under way, such as a model call without its answer. */
  readonly pending?: number;
  /** Why this copy was taken, where there were several. */
  readonly why?: string;
  /** One sentence for each thing that is known to be missing. */
  readonly missing: readonly string[];
  /** One sentence for each thing that is worth knowing and no damage. */
  readonly notes?: readonly string[];
}

export interface RecoverCounts {
  /** Samples times epochs; undefined when the run did not say. */
  readonly expected: number | undefined;
  /** Copied from the crashed log as they were. */
  readonly kept: number;
  /** Rebuilt whole. */
  readonly recovered: number;
  /** Rebuilt up to the crash, and marked so that a retry runs them again. */
  readonly inFlight: number;
  /** Known to have been there, and gone. */
  readonly lost: number;
}

/** What a recovery did: the same report goes to the terminal, to `--json` and into the log's metadata (as a digest). */
export interface RecoverReport {
  readonly kind: 'holdfast' | 'inspect';
  readonly output: string;
  /** True when an earlier recovery had made this very log, and died before it could clean up. */
  readonly wasThere: boolean;
  readonly status: LogStatus;
  readonly run: {
    readonly task: string;
    readonly taskId: string;
    readonly runId: string;
    readonly created: string;
    readonly model: string;
  };
  readonly sources: readonly { readonly kind: SourceKind; readonly place: string }[];
  readonly liveness: Liveness;
  readonly counts: RecoverCounts;
  readonly samples: readonly SampleAccount[];
  readonly problems: readonly RecoverProblem[];
  /** Why the log is not finished as a success, when that was asked for. */
  readonly notFinalized?: string;
  readonly results?: EvalResults;
  /** Samples under way whose answers only the journals have: they stay, and the next run replays them. */
  readonly waiting?: number;
  /** What was deleted after the output had been read back and checked. */
  readonly deleted: readonly string[];
  /** Sources that were not deleted, because something of them could not be read or is not in the log. */
  readonly left: readonly string[];
}
