/**
 * The condensed shape of a sample's transcript, shared by the journal and the log: because both hold the same texts,
 * sealing is copying (docs/format/journal.md [JRN-4]).
 */
import type { SampleAnswer } from './sample-answers.ts';
import type { SampleFields } from './schema.ts';

/** What one event turned into. Everything listed here is new to its sample; older content is only referred to. */
export interface CondensedEvent {
  /** The event as JSON text: long strings are `attachment://…`, model inputs are `input_refs` into the pool. */
  readonly json: string;
  readonly attachments: readonly { readonly hash: string; readonly text: string }[];
  readonly messages: readonly { readonly position: number; readonly json: string }[];
  readonly calls: readonly { readonly position: number; readonly json: string }[];
}

/** A whole sample, ready to be written: iterated once, in order, never held as one string. */
export interface SampleParts {
  /** Messages are condensed; events of earlier attempts are whole, and condensed when they are written. */
  readonly fields: SampleFields;
  /** JSON texts of events, in order. */
  readonly events: Iterable<string> | AsyncIterable<string>;
  readonly attachments:
    | Iterable<{ readonly hash: string; readonly text: string }>
    | AsyncIterable<{ readonly hash: string; readonly text: string }>;
  /** JSON texts of the pools, by position. */
  readonly messages: Iterable<string> | AsyncIterable<string>;
  readonly calls: Iterable<string> | AsyncIterable<string>;
  /** What was bought for it; absent when that is not known. */
  readonly answers?: Iterable<SampleAnswer> | AsyncIterable<SampleAnswer> | undefined;
}
