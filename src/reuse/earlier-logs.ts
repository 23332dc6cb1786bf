import type { Digest } from '../base/index.ts';
import type { LogReader, LogStore } from '../log/index.ts';

/** A finished log that is kept elsewhere than in the log directory: a published run. */
export interface EarlierLog {
  /** How whoever keeps it finds it. One place, one content, for ever. */
  readonly place: string;
  readonly run: string;
  readonly eval: string;
  /** What the log was called. */
  readonly name: string;
  readonly digest: Digest;
  readonly sizeBytes: number;
  /** Who published it, for people. */
  readonly by: string;
}

export interface EarlierChanges {
  /** Given back, it is asked what came since. */
  readonly position: string;
  /** False: `added` is all that there is. */
  readonly isSince: boolean;
  readonly added: readonly EarlierLog[];
  /** Places of logs that are gone. */
  readonly removed: readonly string[];
  /** What could not be read: sentences. */
  readonly problems: readonly string[];
}

/** Left out when it was published; in a bucket that is not named; not in the one that is. */
export type WhyAbsent = 'left out' | 'away' | 'gone';

/**
 * Finished logs that others keep, of whatever eval. `changesSince` reads no log: only what is new in their list, so that it costs
 * next to nothing when nothing is. Undefined from it: there are none. Failures are ActionableErrors, and none of them changes
 * anything.
 */
export interface EarlierLogs {
  changesSince(position: string | undefined): Promise<EarlierChanges | undefined>;
  /** Undefined when it is gone. Whoever opens it closes it. */
  open(log: EarlierLog): Promise<LogReader | undefined>;
  /** The documents of it that cannot be read here although it is whole, with the reason. No body is read for it. */
  absent(log: EarlierLog): Promise<ReadonlyMap<string, WhyAbsent>>;
  /** True for a run that somebody removed, published or not: it lends nothing, also not from a log of the directory. */
  isRemoved(run: string): Promise<boolean>;
  /** Makes it a log of a store, whole and checked, or fails. Gives its name there; one that is there already is left as it is. */
  bringHome(log: EarlierLog, into: LogStore): Promise<string>;
}

const DIGITS = 16;

/** What the index calls it: like a log, so that it is sorted as one, and never as one of the log directory. */
export function indexNameOf({ name, digest }: EarlierLog): string {
  return `${name.replace(/\.(?:eval|json)$/, '')}@${digest.slice(0, DIGITS)}.eval`;
}

export function isIndexName(name: string): boolean {
  return /@[0-9a-f]{16}\.eval$/.test(name);
}
