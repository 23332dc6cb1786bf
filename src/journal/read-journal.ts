import { DamageError } from '../base/index.ts';
import { isLocked } from '../disk/index.ts';
import { type Acknowledged, readAcknowledged } from './acknowledged.ts';
import { checkJournal } from './check-journal.ts';
import { DamageNotes } from './damage-notes.ts';
import { openDatabase } from './database.ts';
import { JournalReader } from './journal-reader.ts';
import { JournalRows } from './journal-rows.ts';
import { besideJournal } from './layout.ts';
import { type Records, readRecordFile } from './record-file.ts';
import { salvageDatabase } from './salvage/salvage-database.ts';

/**
 * Opens a journal of any version for reading. One that nobody writes is checked row by row at once; when anything is wrong
 * with it, everything that can still be read is read from its pages into a scratch database, and `damage` names the rest.
 * The files themselves are never changed. A journal that is being written is checked as it is read.
 */
export function readJournal(path: string): JournalReader {
  const beside = besideJournal(path);
  if (isLocked(beside.lock)) return openUnchecked(path);
  // Before the rows are looked at: the mark then never says more than they do.
  const mark = readAcknowledged(beside.acknowledged);
  const records = readRecordFile(path);
  const notes = new DamageNotes(path);
  try {
    const { db, version } = openDatabase(path);
    const rows = new JournalRows(db, { path, version });
    try {
      if (checkJournal(rows, notes, mark).isSound)
        return new JournalReader(rows, { notes, ...given(records) });
    } catch (error) {
      db.close();
      throw error;
    }
    return salvaged(path, { mark, records, notes }) ?? new JournalReader(rows, { notes, ...given(records) });
  } catch (error) {
    if (!(error instanceof DamageError) || isHopeless(error)) throw error;
    notes.say(error.message);
    const reader = salvaged(path, { mark, records, notes });
    if (!reader) throw error;
    return reader;
  }
}

/** Only what is asked for is read and checked: for a look at who wrote it, and for one that is being written. */
export function openUnchecked(path: string): JournalReader {
  const { db, version } = openDatabase(path);
  return new JournalReader(new JournalRows(db, { path, version }), given(readRecordFile(path)));
}

interface Known {
  readonly mark: Acknowledged | undefined;
  readonly records: Records | undefined;
  readonly notes: DamageNotes;
}

/** Undefined when nothing could be saved. */
function salvaged(path: string, { mark, records, notes: found }: Known): JournalReader | undefined {
  const salvage = salvageDatabase(path);
  if (!salvage) return undefined;
  const notes = new DamageNotes(path);
  const rows = new JournalRows(salvage.db, { path, version: salvage.version });
  checkJournal(rows, notes, mark);
  for (const sentence of found.take().sentences) notes.say(sentence);
  return new JournalReader(rows, { notes, ...given(records) });
}

function given(records: Records | undefined): { readonly records?: Records } {
  return records ? { records } : {};
}

/** It is not ours, or of a time to come, or was never begun: reading its pages would not make it so. */
function isHopeless({ code }: DamageError): boolean {
  return code === 'E_JOURNAL_FOREIGN' || code === 'E_JOURNAL_VERSION' || code === 'E_JOURNAL_EMPTY';
}
