import type { Digest, Json } from '../base/index.ts';
import type { LogEvent } from '../log/index.ts';

/**
 * Recorder: how a target and its scorers leave a durable trace of one sample. The runner implements it on the journal;
 * tests on memory.
 *
 * - [REC-1] `record` resolves only after the answer and its events are durable; until then nobody may see the answer.
 * - [REC-2] `recall` gives each recorded answer once, in the order in which equal requests were made: the n-th equal
 *   request of this attempt gets the n-th recorded answer. It is undefined for a request that was not seen before.
 * - [REC-3] `emit` never waits; the event is durable no later than the next `record` or the end of the sample.
 */
export interface Recorder {
  recall(request: PaidRequest): RecordedAnswer | undefined;
  record(request: PaidRequest, answer: RecordedAnswer, events: readonly LogEvent[]): Promise<void>;
  emit(event: LogEvent): void;
}

/** What was asked. `digest` covers everything that could change the answer. */
export interface PaidRequest {
  readonly kind: 'model' | 'http' | 'tool' | 'call';
  readonly digest: Digest;
}

export interface RecordedAnswer {
  readonly value: Json;
  /** What it cost when it was bought; unknown prices are undefined, never 0. */
  readonly costUsd?: number;
  readonly tokens?: number;
}
