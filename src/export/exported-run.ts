import type { EvalSampleSummary, LogHeader, RepairedLog, SampleFields } from '../log/index.ts';
import type { RunRow } from '../results/index.ts';

/** A run to export: its list row, and a way to its log, which is asked for twice. */
export interface ExportedRun {
  readonly row: RunRow;
  /** Opens the log, hands it to `work`, and closes it. */
  read(work: (log: RepairedLog) => Promise<void>): Promise<void>;
  /** Which of its samples are exported, in this order; all of them, in the log's own, when nothing is said. */
  samples?(log: RepairedLog): AsyncIterable<EvalSampleSummary>;
}

/** A run with what its log says of it. */
export interface RunItem {
  readonly row: RunRow;
  readonly header: LogHeader;
}

/** A sample with the run that it is of. The list of samples knows how it came into this log; all else is in its own document. */
export interface SampleItem {
  readonly row: RunRow;
  readonly summary: EvalSampleSummary;
  /** Undefined when they are damaged: then what the list says of it has to do. */
  readonly fields: SampleFields | undefined;
}
