import type { RunRecord, WriterRecord } from '../journal/index.ts';
import type { FoundSample } from '../reuse/index.ts';
import type { Counted } from './ledger.ts';
import type { PlannedSample } from './plan.ts';
import type { SampleOutcome } from './run-sample.ts';
import type { RunTask } from './settings.ts';

/**
 * Elsewhere: other processes that run samples of a run, each as a writer of its own in the run's directory. What is planned,
 * admitted, counted and sealed stays with the process that has the run.
 */
export interface Elsewhere {
  /** Undefined when the samples of this one run where it is. */
  open(run: RunElsewhere): Promise<OpenElsewhere | undefined>;
}

export interface RunElsewhere {
  readonly task: RunTask;
  readonly run: RunRecord;
  /** Of the process that has the run: the others come after the same ones. */
  readonly writer: WriterRecord;
  readonly onNote: (sentence: string) => void;
  readonly onDamage: (sentence: string) => void;
}

export interface OpenElsewhere {
  runSample(sample: SampleElsewhere): Promise<EndedElsewhere>;
  /** Resolves when all of them have ended their journals, or are gone. */
  close(): Promise<readonly WriterElsewhere[]>;
}

export interface WriterElsewhere {
  readonly writer: string;
  /** What it told of the samples that it ran; undefined when it told all. */
  readonly toldBefore?: readonly Counted[];
}

export interface SampleElsewhere {
  readonly planned: PlannedSample;
  /** An output that stands: only scoring is left. */
  readonly kept: FoundSample | undefined;
  readonly wasTried: boolean;
  readonly signal: AbortSignal;
}

export type EndedElsewhere =
  | { readonly kind: 'ended'; readonly outcome: SampleOutcome; readonly counted: Counted }
  /** The run was told to stop before there was anything to tell. */
  | { readonly kind: 'interrupted' }
  /** No process came back from it, as often as it was tried: a sentence for each. */
  | { readonly kind: 'lost'; readonly reasons: readonly string[] };
