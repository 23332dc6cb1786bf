import type { SampleKey } from '../base/index.ts';
import type { EvalSampleSummary, LogEvent, LogHeader, SampleFields } from './schema.ts';

/**
 * One reader for a run in whatever form it is stored: a finished log, the journals of a run under way, later a published
 * run. Every implementation passes `test/contract/run-reader.ts`:
 *
 * - [RUN-1] `header` has status `started` while the run is not finished.
 * - [RUN-2] `summaries` gives every sample once, in an order that does not change, and each with a position after which
 *   another call goes on. A sample that is under way is given with `completed: false`.
 * - [RUN-3] `events` gives the whole events of a sample (pools and attachments put back), each with its position, from the
 *   one after `after` on. Memory stays bounded however large the sample is.
 * - [RUN-4] `changes` gives one change for every sample that was begun, went on or ended since a position, and waits for
 *   more until the run is finished or the signal is aborted, which ends it without an error. A finished run gives what is
 *   left and ends; so does what nobody writes any more.
 * - [RUN-5] Nothing is held between two pages: neither a transaction nor a cursor, so a reader never keeps a writer's
 *   write-ahead log from being checkpointed, and a run is not slowed by being watched.
 * - [RUN-6] What is damaged is an ActionableError for that sample, and does not hinder reading the others. A position that
 *   no reader gave is refused with E_RUN_POSITION.
 * - [RUN-7] `latest` is the position after everything that is there: `changes` since it gives only what comes.
 */
export interface RunReader {
  /** How people name it. */
  readonly place: string;
  header(): Promise<LogHeader>;
  summaries(after?: Position): AsyncIterable<Positioned<EvalSampleSummary>>;
  /** Everything of a sample but its transcript; undefined when there is no such sample. */
  fields(sample: SampleKey): Promise<SampleFields | undefined>;
  events(sample: SampleKey, after?: Position): AsyncIterable<Positioned<LogEvent>>;
  changes(since: Position | undefined, signal: AbortSignal): AsyncIterable<RunChange>;
  latest(): Promise<Position>;
  close(): Promise<void>;
}

/** Where a reader has got to. Opaque: only the reader that gave it, or another of the same run and form, takes it back. */
export type Position = string & { readonly __brand: 'Position' };

export type Positioned<T> = { readonly position: Position; readonly value: T };

export interface RunChange {
  readonly position: Position;
  /** `begun`: a new attempt. `went on`: new events. `ended`: a result. `finished`: the run itself; it is the last change. */
  readonly kind: 'begun' | 'went on' | 'ended' | 'finished';
  /** Absent for `finished`. */
  readonly sample?: SampleKey;
}
