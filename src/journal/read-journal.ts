import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { ActionableError } from '../base/index.ts';
import { identityOfFile, isLocked, sizeOfFile } from '../disk/index.ts';
import { lossOf } from './acknowledged.ts';
import { checkJournal } from './check-journal.ts';
import { DamageNotes } from './damage-notes.ts';
import { damagedJournal, isSettled, openDatabase, PAGE_BYTES, reopenDatabase } from './database.ts';
import { journalBusy } from './journal-errors.ts';
import { JournalReader } from './journal-reader.ts';
import { JournalRows } from './journal-rows.ts';
import { isDamage, type KnownBeside, knownBeside, unreadableJournal } from './known-beside.ts';
import { besideJournal } from './layout.ts';
import type { OpenDatabases } from './open-databases.ts';
import { type Records, readRecordFile } from './record-file.ts';
import { emptySalvage, salvageDatabase } from './salvage/salvage-database.ts';
import { readWal } from './salvage/wal-frames.ts';
import { JOURNAL_VERSION, type JournalVersion } from './schema.ts';

export interface ReadJournalOptions {
  /** These stand in for its own where those are gone. */
  readonly records?: Records | undefined;
  /** Others that are read at the same time: of those that never change not all are open at once. */
  readonly among?: OpenDatabases | undefined;
}

/**
 * Opens a journal of any version for reading. One that nobody writes is checked row by row at once; when anything is wrong
 * with it, everything that can still be read is read from its pages into a scratch database, and `damage` names the rest.
 * The files themselves are never changed. A journal that is being written is checked as it is read. One whose directory is
 * gone was let go by another process just now (E_JOURNAL_BUSY).
 */
export function readJournal(path: string, { records, among }: ReadJournalOptions = {}): JournalReader {
  let reader: JournalReader | undefined;
  try {
    reader = readOrSalvage(path, { ...given(records), ...knownBeside(path) }, among);
    if (reader.damage().sentences.length === 0 || !isLetGo(path)) return reader;
  } catch (error) {
    if (!isLetGo(path)) throw error;
  }
  reader?.close();
  throw journalBusy(dirname(path));
}

/** A run is let go by one rename of its directory, which may come between any two looks: what is missing then is no damage. */
function isLetGo(path: string): boolean {
  return identityOfFile(dirname(path)) === undefined;
}

function readOrSalvage(path: string, known: KnownBeside, among?: OpenDatabases): JournalReader {
  try {
    const isAlive = isLocked(besideJournal(path).lock);
    return named(isAlive ? openUnchecked(path) : readDead(path, known, among), known);
  } catch (error) {
    if (!isDamage(error, path, known)) throw error;
    const salvaged = salvage(path, known, { why: reasonOf(error, path) });
    if (!salvaged) throw unreadableJournal(path, error, known);
    return named(salvaged, known);
  }
}

/** Only what is asked for is read and checked: for a look at who wrote it, and for one that is being written. */
export function openUnchecked(path: string): JournalReader {
  const { db, version } = openDatabase(path);
  return new JournalReader(new JournalRows(db, { path, version }), given(readRecordFile(path)));
}

function readDead(path: string, known: KnownBeside, among: OpenDatabases | undefined): JournalReader {
  if (known.isLogForeign)
    throw damagedJournal(path, 'the write-ahead log beside it is not the one that it was written to');
  const unreadable = readWal(`${path}-wal`, PAGE_BYTES)?.unreadableCommits ?? 0;
  const { reader, notes, fault } = openChecked(path, known);
  // A crash tears at most one transaction; more were acknowledged.
  const why = fault ?? (unreadable < 2 ? undefined : unreadableLog(unreadable));
  if (why === undefined) {
    if (among && isSettled(path)) reader.rows.shareAmong(among, () => reopened(path, reader.version));
    return reader;
  }
  const salvaged = salvage(path, known, {
    why,
    notes,
    isOfRows: fault !== undefined && !notes.hasBrokenPages,
  });
  if (salvaged) reader.close();
  return salvaged ?? reader;
}

/** It was checked when it was first opened, and nobody writes it. */
function reopened(path: string, version: JournalVersion): DatabaseSync {
  if (isLetGo(path)) throw journalBusy(dirname(path));
  return reopenDatabase(path, version);
}

/** A journal that names no run is a shell, unless something was acknowledged in it: then that is lost. */
function named(reader: JournalReader, known: KnownBeside): JournalReader {
  try {
    if (lossOf(known.mark)) reader.run();
    return reader;
  } catch (error) {
    reader.close();
    throw error instanceof ActionableError ? unreadableJournal(reader.path, error, known) : error;
  }
}

function openChecked(
  path: string,
  known: KnownBeside,
): { readonly reader: JournalReader; readonly notes: DamageNotes; readonly fault: string | undefined } {
  const { records } = known;
  const { db, version } = openDatabase(path);
  const rows = new JournalRows(db, { path, version });
  const notes = new DamageNotes(path);
  try {
    if (records && version !== JOURNAL_VERSION)
      throw damagedJournal(path, `it says that its version is ${version}`);
    const fault = checkJournal(rows, notes, known);
    return { reader: new JournalReader(rows, { notes, ...given(records) }), notes, fault };
  } catch (error) {
    db.close();
    throw error;
  }
}

/** What was lost is counted anew: past SQLite more may be found. Undefined when nothing could be saved. */
function salvage(
  path: string,
  known: KnownBeside,
  found: { readonly why: string; readonly notes?: DamageNotes; readonly isOfRows?: boolean },
): JournalReader | undefined {
  const { records, isLogForeign } = known;
  // Of a journal that is known to have been there even nothing is something: it says what is lost.
  const salvaged = salvageDatabase(path, { withLog: !isLogForeign }) ?? (records && emptySalvage());
  if (!salvaged) return undefined;
  const notes = new DamageNotes(path);
  const rows = new JournalRows(salvaged.db, { path, version: salvaged.version });
  // What SQLite showed to be damaged is named, unless another image of its page had it whole.
  for (const { table, row } of found.notes?.rows ?? [])
    if (!rows.one(table, 'n = ?', row.n ?? null)) notes.row(table, row);
  checkJournal(rows, notes, known);
  // What the rows say of the damage, they say better.
  if (!found.isOfRows || notes.isEmpty)
    notes.say(
      `${path} is damaged (${found.why}). Everything in it that is whole was read; the file was left as it is.`,
    );
  return new JournalReader(rows, { notes, ...given(records) });
}

/** What an error says of a journal, without what will be said around it. */
function reasonOf({ message }: ActionableError, path: string): string {
  if (sizeOfFile(path) === undefined) return 'it is gone';
  const [before, after] = [`${path} is damaged (`, ').'];
  if (message.startsWith(before) && message.endsWith(after))
    return message.slice(before.length, -after.length);
  return message.replace(`${path} `, 'it ').replace(/\.$/, '');
}

function unreadableLog(transactions: number): string {
  return `${transactions} transactions in its write-ahead log cannot be read`;
}

function given(records: Records | undefined): { readonly records?: Records } {
  return records ? { records } : {};
}
