import { ActionableError, DamageError } from '../base/index.ts';
import { type JournalReader, SELECT_OUTLINE } from './journal-reader.ts';
import { lossWith } from './known-beside.ts';
import { OpenDatabases } from './open-databases.ts';
import { type ReadJournalOptions, readJournal } from './read-journal.ts';
import type { Records } from './record-file.ts';
import type { LostRows } from './records.ts';
import { recordsOfNobody, recordsOfOthers } from './stand-in-records.ts';
import type { WriterPlace } from './writers-in.ts';

/** A journal that cannot be read at all. */
export interface UnreadableJournal {
  readonly writer: string;
  readonly reason: string;
  /** What was acknowledged in it, as far as its mark can be read. */
  readonly lost: LostRows | undefined;
}

interface Failed {
  readonly place: WriterPlace;
  readonly error: ActionableError;
}

/**
 * Reads each journal that is not among `readers` yet, which are by path, and adds it; gives those that cannot be read. One
 * whose records are gone is read with those of the other writers, and when nobody has any, by its rows alone.
 */
export function readWriters(
  places: readonly WriterPlace[],
  readers: Map<string, JournalReader>,
  among?: OpenDatabases,
): readonly UnreadableJournal[] {
  const failed: Failed[] = [];
  const isCrowd = OpenDatabases.isCrowd(places.length);
  for (const place of places.filter(({ path }) => !readers.has(path))) {
    const error = tryRead(place, readers, { among });
    const reader = isCrowd ? readers.get(place.path) : undefined;
    for (const { run } of reader ? tryRecords(reader) : []) if (reader) foresee(reader, run.runId);
    // A shell holds nothing that was paid for.
    if (error && error.code !== 'E_JOURNAL_EMPTY') failed.push({ place, error });
  }
  return failed.filter(({ place }) => !readWithout(place, readers)).map(unreadableOf);
}

function unreadableOf({ place, error }: Failed): UnreadableJournal {
  return { writer: place.writer, reason: error.message, lost: lossWith(place.path) };
}

/** False when nothing can be told of it even so. */
function readWithout(place: WriterPlace, readers: Map<string, JournalReader>): boolean {
  const known = [...readers.values()].flatMap(tryRecords);
  const others = recordsOfOthers(place, known);
  const records = others ?? recordsOfNobody(place);
  if (!records || tryRead(place, readers, { records }) !== undefined) return false;
  const reader = readers.get(place.path);
  // Without a record and without an attempt there is nothing to be had.
  if (others || !reader || [...reader.outline()].length > 0) return true;
  reader.close();
  readers.delete(place.path);
  return false;
}

/** Gives why it cannot be read; undefined when it is among `readers` now. */
function tryRead(
  place: WriterPlace,
  readers: Map<string, JournalReader>,
  options: ReadJournalOptions,
): ActionableError | undefined {
  const { path } = place;
  try {
    const reader = readJournal(path, options);
    readers.set(path, reader);
    reader.writer();
    return undefined;
  } catch (error) {
    if (!(error instanceof DamageError)) throw error;
    readers.get(path)?.close();
    readers.delete(path);
    return error;
  }
}

/** Reads while it is open what whoever seals the run will ask of every journal, so that none is opened once more to say so. */
function foresee(reader: JournalReader, runId: string): void {
  if (!reader.rows.isSettled) return;
  reader.rows.ask(SELECT_OUTLINE, 0);
  reader.foreignOrigins(runId);
  reader.spentUsd();
  for (const _ of reader.reused()) break;
}

/** None when its run record cannot be read. */
function tryRecords(reader: JournalReader): Records[] {
  try {
    return [{ run: reader.run(), writer: reader.writer() }];
  } catch (error) {
    if (error instanceof ActionableError) return [];
    throw error;
  }
}
