import type { SampleId, SampleKey } from '../base/index.ts';
import type { SampleParts } from './condensed.ts';
import type { RawMember } from './log-file.ts';
import type { MemberJson } from './member-json.ts';
import type { SampleContext, SampleTranscript } from './read-sample.ts';
import type { SampleAnswer } from './sample-answers.ts';
import type {
  EvalSample,
  EvalSampleReductions,
  EvalSampleSummary,
  LogEvent,
  LogHeader,
  SampleFields,
} from './schema.ts';

/**
 * Reads a finished (or interrupted) run, whatever its file looks like. Nothing is cached but the header, so a reader may
 * stay open for long; what it gives is checked against the checksums of the file [LOG-21].
 *
 * Errors are ActionableErrors with the codes of `log-errors.ts`; a damaged member does not hinder reading the others.
 */
export interface LogReader {
  readonly path: string;
  readonly sizeBytes: number;
  /** Status is `started` when the run was never finished. */
  header(): Promise<LogHeader>;
  /** One row a sample, streamed; from the log's own list, else from its samples. */
  summaries(): AsyncIterable<EvalSampleSummary>;
  /** The samples that are there, in Inspect's order (epoch, then id). The id is as the file names it. */
  samples(): Promise<readonly SampleKey[]>;
  /** A whole sample in memory: pools expanded, attachments resolved, old names brought to today's. */
  sample(id: SampleId, epoch: number): Promise<EvalSample | undefined>;
  /** Everything but the transcript, which is passed over without being held. */
  sampleFields(id: SampleId, epoch: number): Promise<SampleFields | undefined>;
  /** The whole events one by one, with bounded memory however large the sample is. Empty when there is none. */
  events(id: SampleId, epoch: number): AsyncIterable<LogEvent>;
  /** Both of these; a small sample is read once for them. */
  transcript(sample: SampleKey): Promise<SampleTranscript | undefined>;
  /** The sample still condensed, for writing it into another log. Its iterables may be iterated again. */
  parts(id: SampleId, epoch: number): Promise<SampleParts | undefined>;
  /** What was bought for a sample, if the log says so [LOG-37]; empty when it does not. */
  answers(sample: SampleKey): AsyncIterable<SampleAnswer>;
  reductions(): Promise<readonly EvalSampleReductions[] | undefined>;
  /** What a `.eval` is made of; a `.json` has no members. */
  members(): readonly MemberInfo[];
  rawMember(name: string): Promise<RawMember | undefined>;
  /** The decompressed, checked bytes of a member. */
  readMember(name: string): AsyncIterable<Uint8Array> | undefined;
  close(): Promise<void>;
}

export interface MemberInfo {
  readonly name: string;
  readonly sizeBytes: number;
  readonly compressedBytes: number;
  readonly method: number;
  readonly crc: number;
}

/** Every reader of a whole log is one; those that leave out what is damaged are not. */
export function isStoredLog(log: LogReader): log is StoredLogReader {
  return 'memberNames' in log;
}

/** What verifying and converting see of a reader besides: a sample as it is stored. */
export interface StoredLogReader extends LogReader {
  /** The same as `members`, without making a list of them. */
  readonly memberCount: number;
  memberNames(): Iterable<string>;
  context(id: SampleId, epoch: number): Promise<SampleContext | undefined>;
  /** One of the log's own documents; undefined when it is not there (a `.json` has none). */
  json(name: string): MemberJson | undefined;
}
