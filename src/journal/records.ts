/** What a journal holds, as values (docs/format/journal.md). */
import type { Digest, Json, JsonObject, RunId, SampleId } from '../base/index.ts';
import type { ProcessIdentity } from '../disk/index.ts';
import type { EvalError, EvalSampleSummary, LogStart, SampleFields } from '../log/index.ts';

/** Written once by each writer, equal in all journals of a run but for `isBrief`. */
export interface RunRecord {
  readonly runId: RunId;
  readonly created: string;
  readonly start: LogStart;
  readonly identity: RunIdentity;
  /** Samples times epochs. */
  readonly planned: number;
  /** The name of the log that `seal` will make. */
  readonly logName: string;
  /** The ids of its samples are left out: the writer is one of many, and whoever gave it the run has them [JRN-18]. */
  readonly isBrief?: true;
}

/** What decides whether two runs are runs of the same thing. */
export interface RunIdentity {
  readonly eval: string;
  readonly version: string;
  readonly targetName: string;
  readonly target: Digest;
  readonly definition: Digest;
  /** Digest of every planned (id, epoch, content key): a run with an equal plan can be gone on with. */
  readonly plan: Digest;
}

export type ReuseMode = 'same' | 'any' | 'none';

/** The process that writes a journal, and whom it came after [JRN-15]. */
export interface WriterRecord {
  readonly writer: string;
  /** One more than those it came after; 0 for a journal of version 1. */
  readonly generation: number;
  /** The writers that were there when it began. */
  readonly after: readonly string[];
  /** What each of them held then, by name: one that is gone later is missed, with its price. */
  readonly held?: Readonly<Record<string, LostRows>>;
  /** What builds of artifacts cost that were made for the run before this writer began, in US dollars, by the ids of their own runs. */
  readonly builds?: Readonly<Record<string, number>>;
  readonly process: ProcessIdentity;
  /** The exact version of Node that it runs with; absent in those of earlier versions of Holdfast. */
  readonly node?: string;
  readonly startedAt: string;
  /** From which other runs samples were taken. */
  readonly reuse: ReuseMode;
}

export interface EndingRecord {
  readonly endedAt: string;
  readonly reason: 'finished' | 'interrupted' | 'budget' | 'failed';
}

/** `<run id>/<writer>/<n>` of the journal in which an attempt began; a copy keeps it [JRN-14]. */
export type Origin = string;

export interface AttemptStart {
  readonly id: SampleId;
  readonly epoch: number;
  /** Content key: equal keys have equal meaning, so a result can stand for another run's. */
  readonly key: Digest;
  readonly uuid: string;
  readonly startedAt: string;
  /** Errors of attempts that other logs hold. */
  readonly earlier?: readonly EvalError[];
  /** The sample as the dataset gave it, in the log's shape. */
  readonly sample: Pick<SampleFields, 'input' | 'target' | 'choices' | 'metadata'>;
}

/** The part of a sample's fields that is known when its attempt begins. */
export function startFields(start: AttemptStart): Partial<SampleFields> & Pick<SampleFields, 'id' | 'epoch'> {
  return {
    id: start.id,
    epoch: start.epoch,
    ...start.sample,
    uuid: start.uuid,
    started_at: start.startedAt,
    ...(start.earlier ? { error_retries: start.earlier } : {}),
  };
}

export interface AttemptRow extends AttemptStart {
  readonly n: number;
  readonly origin: Origin;
  /** undefined: it was interrupted, is still running, or is damaged. */
  readonly status: AttemptStatus | undefined;
  /** A row of it is damaged or missing: it is not completed, but its other answers are replayed [JRN-10]. */
  readonly isDamaged: boolean;
}

export type AttemptOutline = Pick<
  AttemptRow,
  'n' | 'id' | 'epoch' | 'key' | 'origin' | 'status' | 'isDamaged'
>;

export type AttemptStatus = 'completed' | 'errored';

export interface AttemptResult {
  readonly status: AttemptStatus;
  readonly fields: SampleFields;
}

/** What the target gave, before it was scored: a crash in a scorer does not buy it again. */
export interface TargetOutput {
  readonly output: Json;
  readonly fields: JsonObject;
}

/** A sample that another finished log already holds: it is copied from there when this run is sealed. */
export interface ReusedSample {
  readonly id: SampleId;
  readonly epoch: number;
  /** Path of the log, relative to the log directory when it lies there. */
  readonly log: string;
  readonly runId: string;
  readonly mode: 'same' | 'any';
  readonly summary: EvalSampleSummary;
}

export type ReusedOutline = Omit<ReusedSample, 'summary'> & { readonly n: number };

/** What of a journal cannot be read any more. */
export interface JournalDamage {
  /** One for each thing that is wrong, for people. */
  readonly sentences: readonly string[];
  /** The attempts of which something is missing, with the reason. */
  readonly attempts: ReadonlyMap<number, string>;
  /** What was acknowledged and can no longer be read [JRN-11]; absent when nothing is. */
  readonly lost?: LostRows;
}

export interface LostRows {
  readonly answers: number;
  readonly results: number;
  readonly usd: number;
}
