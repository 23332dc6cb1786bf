import type { CompressionMethod } from './compress.ts';
import type { LogFile } from './log-file.ts';
import type { LogReader } from './log-reader.ts';
import type { VerifyReport } from './verify-log.ts';

/**
 * Where finished logs are kept: a directory, or a folder of a bucket. Every implementation passes
 * `test/contract/log-store.ts`:
 *
 * - [STORE-1] `list` gives every log, in code-unit order of names, and nothing else: no temporaries, no state of ours,
 *   nothing that was set aside.
 * - [STORE-2] `open` reads in ranges, never the whole log for its header; undefined when there is no such log.
 * - [STORE-3] `create` makes a log whole or not at all, and never overwrites unless it is told to: written under a temporary
 *   name, synced, read back and checked, then named. Everything that makes a log goes through it.
 * - [STORE-4] What dead processes left of unfinished logs is swept by the next `create`; what a living one is writing is not.
 * - [STORE-5] `verify` reads a log from end to end, and tells a log that cannot even be opened as damaged; undefined when
 *   there is no such log.
 * - [STORE-6] `openTorn` reads the whole members of a log whose end is missing; undefined when there is no such log, or nothing in
 *   it says which run it is of.
 *
 * A name is that of a file, without folders (E_LOG_NAME), and ends in `.eval` or `.json` (E_LOG_FORM). Other failures are those of
 * the disk or the bucket, and leave the store as it was.
 */
export interface LogStore extends ReadableLogs {
  create<T>(name: string, options: CreateLogOptions<T>): Promise<CreatedLog<T>>;
}

/** Logs that are only read. */
export interface ReadableLogs {
  /** How people name it: a path or `s3://…`. */
  readonly place: string;
  list(signal?: AbortSignal): AsyncIterable<StoredLog>;
  stat(name: string): Promise<StoredLog | undefined>;
  open(name: string): Promise<LogReader | undefined>;
  openTorn(name: string): Promise<LogReader | undefined>;
  verify(name: string): Promise<VerifyReport | undefined>;
  /** How people name one log of it. */
  placeOf(name: string): string;
}

export interface StoredLog {
  readonly name: string;
  readonly sizeBytes: number;
  readonly modifiedMs: number;
}

export interface CreateLogOptions<T> {
  /** Writes the members of the log; `finish` is called by the store. It is not called when there is such a log already. */
  readonly write: (file: LogFile) => Promise<T>;
  /** Decides, after the log was read back, whether it gets its name. Throws, or says what to do. Default: any problem throws. */
  readonly judge?: (report: VerifyReport, written: T, open: OpenWritten) => Verdict | Promise<Verdict>;
  /** True puts it in the place of a log of that name: a crashed one that was recovered into this. Default false. */
  readonly replace?: boolean;
  /** Default zstd. */
  readonly method?: CompressionMethod;
}

/** Opens the log as it was written, before it has its name; whoever does closes it. */
export type OpenWritten = () => Promise<LogReader>;

/** `commit`: it gets its name. `set aside`: it is kept as `<name>.damaged`, which is no log. */
export type Verdict = 'commit' | 'set aside';

export type CreatedLog<T> =
  | {
      readonly outcome: 'created' | 'set aside';
      /** How people name what was made. */
      readonly place: string;
      readonly sizeBytes: number;
      readonly written: T;
      readonly report: VerifyReport;
    }
  /** There is a log of that name already, which was left as it is. */
  | { readonly outcome: 'exists'; readonly place: string };
