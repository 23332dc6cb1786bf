/** What a journal holds, as values (docs/format/journal.md). */
import type { Digest, Json, JsonObject, RunId, SampleId } from '../base/index.ts';
import type { ProcessIdentity } from '../disk/index.ts';
import type { EvalError, EvalSampleSummary, LogStart, SampleFields } from '../log/index.ts';

/** Written once, when the run begins. */
export interface RunRecord {
  readonly runId: RunId;
  /** One process at a time writes a journal; its segments carry this name. */
  readonly writer: string;
  readonly created: string;
  readonly start: LogStart;
  readonly identity: RunIdentity;
  /** Samples times epochs. */
  readonly planned: number;
  /** The name of the log that `seal` will make. */
  readonly logName: string;
}

/** What decides whether two runs are runs of the same thing. */
export interface RunIdentity {
  readonly eval: string;
  readonly version: string;
  readonly targetName: string;
  readonly target: Digest;
  readonly definition: Digest;
  /** Digest of every planned (id, epoch, content key): equal plans can go on in the same journal. */
  readonly plan: Digest;
}

/** One process that had the journal open for writing. */
export interface SessionRecord {
  readonly process: ProcessIdentity;
  readonly startedAt: string;
}

export interface EndingRecord {
  readonly endedAt: string;
  readonly reason: 'finished' | 'interrupted' | 'budget' | 'failed';
}

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
  /** undefined: it was interrupted, or is still running. */
  readonly status: AttemptStatus | undefined;
}

export type AttemptOutline = Pick<AttemptRow, 'n' | 'id' | 'epoch' | 'key' | 'status'>;

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

export interface AnswerRow {
  readonly kind: string;
  readonly digest: Digest;
  readonly occurrence: number;
  readonly value: Json;
  readonly costUsd?: number;
  readonly tokens?: number;
}

/** A sample that another finished log already holds: it is copied from there when this run is sealed. */
export interface ReusedSample {
  readonly id: SampleId;
  readonly epoch: number;
  /** Path of the log, relative to the log directory when it lies there. */
  readonly log: string;
  readonly runId: string;
  readonly summary: EvalSampleSummary;
}

export type ReusedOutline = Omit<ReusedSample, 'summary'> & { readonly n: number };
