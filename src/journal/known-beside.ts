import { basename, dirname } from 'node:path';
import { ActionableError, counted, formatUsd } from '../base/index.ts';
import { sizeOfFile } from '../disk/index.ts';
import { type Acknowledged, lossOf, readAcknowledged } from './acknowledged.ts';
import { damagedJournal, emptyJournal } from './database.ts';
import { besideJournal } from './layout.ts';
import { type Records, readRecordFile } from './record-file.ts';
import type { LostRows } from './records.ts';
import { readWalSalts, type WalSalts } from './salvage/wal-frames.ts';

/** What the files beside a database say of the journal that it is, or was. */
export interface KnownBeside {
  /** Undefined when there is none that can be read. */
  readonly mark: Acknowledged | undefined;
  readonly records?: Records;
  /** True when it was made from segments: it acknowledged nothing itself. */
  readonly isImported: boolean;
  /** True when the write-ahead log that lies there is not the one that was committed to: nothing in it is of this journal. */
  readonly isLogForeign: boolean;
  /** True when any of these files is there: mark, record, write-ahead log. */
  readonly isAnyThere: boolean;
  /** True when any of them has something in it, whether or not it can be read. */
  readonly isAnyFilled: boolean;
}

/** To be asked before the rows are looked at: the mark then never says more than they do. */
export function knownBeside(path: string): KnownBeside {
  const { acknowledged, record, segments } = besideJournal(path);
  const sizes = [acknowledged, record, `${path}-wal`].map(sizeOfFile);
  const records = readRecordFile(path);
  const mark = ownMark(path, records);
  return {
    mark,
    ...(records ? { records } : {}),
    isImported: sizeOfFile(segments) !== undefined,
    isLogForeign: mark?.log !== undefined && isForeign(mark.log, readWalSalts(`${path}-wal`)),
    isAnyThere: sizes.some((bytes) => bytes !== undefined),
    isAnyFilled: sizes.some((bytes) => bytes !== undefined && bytes > 0),
  };
}

/** A mark that names another writer says nothing of this one. */
export function ownMark(path: string, records?: Records): Acknowledged | undefined {
  const mark = readAcknowledged(besideJournal(path).acknowledged);
  const names = [undefined, basename(dirname(path)), records?.writer.writer];
  return names.includes(mark?.writer) ? mark : undefined;
}

/** More often than this no log is begun anew in the second in which a mark may be lost with the power. */
const BEGUN_ANEW_MAX = 1_000;

/** A log is begun anew when all of it is in the database: its first salt then grows by one. */
function isForeign([first, second]: WalSalts, found: WalSalts | undefined): boolean {
  if (!found) return false;
  const steps = (found[0] - first) >>> 0;
  return steps === 0 ? found[1] !== second : steps > BEGUN_ANEW_MAX;
}

/** What is lost with a journal that cannot be read at all, as far as its mark can be read. */
export function lossWith(path: string): LostRows | undefined {
  return lossOf(ownMark(path, readRecordFile(path)));
}

/** What opening a database says of one that is none of ours. */
const REFUSALS: ReadonlySet<string> = new Set(['E_JOURNAL_FOREIGN', 'E_JOURNAL_VERSION', 'E_JOURNAL_EMPTY']);

/**
 * Without anything beside it a database of another program, or one that was never begun, is just that. When it is known to
 * have been a journal of ours, whatever says otherwise is damaged.
 */
export function isDamage(error: unknown, path: string, known: KnownBeside): error is ActionableError {
  if (!(error instanceof ActionableError)) return false;
  if (error.code === 'E_JOURNAL_DAMAGED') return true;
  const sizeBytes = sizeOfFile(path);
  if (sizeBytes === undefined) return known.isAnyThere;
  if (sizeBytes === 0) return known.isAnyFilled;
  return wasOurs(known) && REFUSALS.has(error.code);
}

function wasOurs({ records, mark }: KnownBeside): boolean {
  return records !== undefined || lossOf(mark) !== undefined;
}

/** Why a journal cannot be read from which nothing could be saved. */
export function unreadableJournal(
  path: string,
  because: ActionableError,
  known: KnownBeside,
): ActionableError {
  const lost = lossOf(known.mark);
  if (lost) {
    const what = `${counted(lost.answers, 'answer')} and ${counted(lost.results, 'result')} that were acknowledged`;
    const price = lost.usd > 0 ? `, for which ${formatUsd(lost.usd)} had been paid` : '';
    return damagedJournal(path, `nothing in it can be told any more of ${what}${price}`, because);
  }
  if (because.code === 'E_JOURNAL_DAMAGED') return because;
  // A mark that only knows of the beginning: the process died before anything was paid for.
  const isShell = known.mark !== undefined || !known.isAnyFilled;
  return isShell ? emptyJournal(path) : damagedJournal(path, 'its database is gone', because);
}
