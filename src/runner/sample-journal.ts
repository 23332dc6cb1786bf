import type { AttemptStart, AttemptStatus, JournalReader, TargetOutput } from '../journal/index.ts';
import type { LogEvent, SampleAnswer, SampleFields } from '../log/index.ts';

/** What running a sample needs of a journal: the journal itself is one, and the benchmark has one that forgets. */
export interface SampleJournal {
  /** Why nothing can be recorded any more, if so. */
  readonly failure: unknown;
  startAttempt(start: AttemptStart): AttemptSink;
  /** Goes on with an attempt whose target had ended, as a copy of its own. */
  continueAttempt(from: { readonly source: JournalReader; readonly n: number }): AttemptSink;
}

export interface AttemptSink {
  readonly n: number;
  event(event: LogEvent): void;
  answer(answer: SampleAnswer, events: readonly LogEvent[]): Promise<void>;
  /** Never waits: it is durable with whatever comes next. */
  replayed(answer: SampleAnswer & { readonly from: string }): void;
  output(output: TargetOutput): Promise<void>;
  finish(status: AttemptStatus, fields: SampleFields): Promise<void>;
}
