import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { ActionableError, DamageError, errnoOf, messageOf } from '../base/index.ts';
import { isLocked, openSyncFile, sizeOfFile } from '../disk/index.ts';
import { journalBusy } from './journal-errors.ts';
import { besideJournal } from './layout.ts';
import {
  APPLICATION_ID,
  createTables,
  JOURNAL_VERSION,
  type JournalVersion,
  SHOW_VERSION_1,
  storedColumns,
  tablesOf,
} from './schema.ts';

/**
 * Opens SQLite so that a commit is durable when it returns [JRN-1]: WAL, and `synchronous=FULL` syncs the WAL at
 * every commit. NORMAL would lose acknowledged answers at power loss.
 */
const DURABLE = `
PRAGMA journal_mode = WAL;
PRAGMA synchronous = FULL;
PRAGMA busy_timeout = 10000;
PRAGMA wal_autocheckpoint = 4000;
PRAGMA journal_size_limit = 67108864;
PRAGMA cache_size = -4000;
`;

/** Rows are appended, many at once: pages of 16 KB take a third less time to commit than SQLite's usual 4 KB. */
export const PAGE_BYTES = 16 * 1024;

/** A new journal, with tables and nothing else. */
export function createDatabase(path: string, version: JournalVersion = JOURNAL_VERSION): DatabaseSync {
  return explained(path, () => {
    const db = new DatabaseSync(path);
    db.exec(`PRAGMA page_size = ${PAGE_BYTES};`);
    db.exec(DURABLE);
    db.exec(`BEGIN IMMEDIATE; ${createTables(version)} COMMIT;`);
    return db;
  });
}

/**
 * The same for one that is read once and thrown away, and can be made again: nothing of it is synced, it has no log beside it, and it
 * is small when it holds one sample.
 */
export function createUnsyncedDatabase(path: string, version: JournalVersion): DatabaseSync {
  return explained(path, () => {
    const empty = EMPTY.get(version);
    if (empty) writeAll(path, empty);
    const db = new DatabaseSync(path);
    db.exec(UNSYNCED);
    if (!empty) {
      db.exec(`BEGIN IMMEDIATE; ${createTables(version)} COMMIT;`);
      EMPTY.set(version, readAll(path));
    }
    return db;
  });
}

const UNSYNCED = `
PRAGMA page_size = 4096;
PRAGMA journal_mode = MEMORY;
PRAGMA synchronous = OFF;
`;

/** The bytes of one with tables and nothing else, by version: to make the tables takes longer than to fill them with a sample. */
const EMPTY = new Map<JournalVersion, Uint8Array>();

function writeAll(path: string, bytes: Uint8Array): void {
  using file = openSyncFile(path, 'create');
  file.write(bytes, 0);
}

function readAll(path: string): Uint8Array {
  using file = openSyncFile(path, 'read');
  const bytes = new Uint8Array(file?.sizeBytes() ?? 0);
  file?.read(bytes, 0);
  return bytes;
}

/** A database that is nowhere but in SQLite's own temporary files, and goes away when it is closed. */
export function createScratchDatabase(version: JournalVersion): DatabaseSync {
  const db = new DatabaseSync('');
  db.exec(`PRAGMA page_size = ${PAGE_BYTES}; PRAGMA cache_size = -16000; ${createTables(version)}`);
  return db;
}

/** What every database begins with. */
export const DATABASE_MAGIC = 'SQLite format 3\0';

/**
 * Read-only: nobody but its own writer ever writes a journal. What is no database is not even opened. One that nobody writes any
 * more, and that has no write-ahead log, is opened as what never changes: else SQLite would make files beside it to read it.
 */
export function openDatabase(path: string): {
  readonly db: DatabaseSync;
  readonly version: JournalVersion;
} {
  refuseNoDatabase(path);
  return explained(path, () => {
    const db = new DatabaseSync(isSettled(path) ? unchanging(path) : path, { readOnly: true });
    try {
      db.exec('PRAGMA busy_timeout = 10000');
      const version = checkVersion(db, path);
      checkTables(db, path, version);
      showAsCurrent(db, version);
      return { db, version };
    } catch (error) {
      db.close();
      throw error;
    }
  });
}

/** One that was opened before, and was settled then: what it is was found out, and it has not changed. */
export function reopenDatabase(path: string, version: JournalVersion): DatabaseSync {
  const db = new DatabaseSync(unchanging(path), { readOnly: true });
  showAsCurrent(db, version);
  return db;
}

/**
 * SQLite deletes the write-ahead log beside a database that is empty, also when it opens it read-only, and with it all that
 * could still be saved. Of a journal that is being written only the size is looked at: whoever opens and closes the file of
 * a database that this process has open drops SQLite's locks on it.
 */
function refuseNoDatabase(path: string): void {
  const sizeBytes = sizeOfFile(path);
  if (sizeBytes === undefined) return;
  if (sizeBytes === 0) throw emptyJournal(path);
  if (isLocked(besideJournal(path).lock)) return;
  using file = openSyncFile(path, 'read');
  const header = Buffer.alloc(DATABASE_MAGIC.length);
  file?.read(header, 0);
  if (header.toString('latin1') !== DATABASE_MAGIC) throw damagedJournal(path, 'it is no database any more');
}

/** Its writer is gone and has put everything into the database itself. */
export function isSettled(path: string): boolean {
  return (sizeOfFile(`${path}-wal`) ?? 0) === 0 && !isLocked(besideJournal(path).lock);
}

function unchanging(path: string): string {
  const address = pathToFileURL(path);
  address.search = '?immutable=1';
  return address.href;
}

/** One reader reads all versions. */
export function showAsCurrent(db: DatabaseSync, version: JournalVersion): void {
  if (version === 1) db.exec(`PRAGMA temp_store = MEMORY; ${SHOW_VERSION_1}`);
}

function checkVersion(db: DatabaseSync, path: string): JournalVersion {
  const application = db.prepare('PRAGMA application_id').get()?.application_id;
  if (application === 0 && !db.prepare('SELECT 1 FROM sqlite_schema').get()) throw emptyJournal(path);
  if (application !== APPLICATION_ID) {
    throw new DamageError({
      code: 'E_JOURNAL_FOREIGN',
      message: `${path} is a database of another program, not a Holdfast journal.`,
      hint: 'Nothing was changed. Name the journal.db of a Holdfast run.',
    });
  }
  const version = db.prepare('PRAGMA user_version').get()?.user_version;
  if (version === 1 || version === JOURNAL_VERSION) return version;
  throw new DamageError({
    code: 'E_JOURNAL_VERSION',
    message: `${path} has journal version ${version}; this Holdfast reads versions 1 to ${JOURNAL_VERSION}.`,
    hint: 'Nothing was changed. Install the Holdfast version that wrote it, or a newer one.',
  });
}

/** The database's own list of tables may be damaged, too: what it says then is good SQL, and of other columns. */
function checkTables(db: DatabaseSync, path: string, version: JournalVersion): void {
  try {
    for (const table of tablesOf(version))
      db.prepare(`SELECT ${storedColumns(version, table).join(', ')} FROM main.${table}`);
    db.prepare('SELECT beat_ms FROM main.lease');
  } catch (error) {
    if (sqliteCodeOf(error) !== SQLITE_ERROR) throw error;
    throw damagedJournal(path, messageOf(error), error);
  }
}

export function damagedJournal(path: string, because: string, cause?: unknown): DamageError {
  return new DamageError({
    code: 'E_JOURNAL_DAMAGED',
    message: `${path} is damaged (${because}).`,
    hint: 'Nothing was changed. Run "holdfast recover" to save what can still be read.',
    cause,
  });
}

/** Its first transaction never happened: a process died while it was being born [JRN-3]. */
export function emptyJournal(path: string): DamageError {
  return new DamageError({
    code: 'E_JOURNAL_EMPTY',
    message: `${path} names no run: its first transaction never happened.`,
    hint: 'It holds nothing that was paid for; its directory can be deleted.',
  });
}

/** SQLite's primary result codes that a person can do something about. */
const SQLITE_ERROR = 1;
const SQLITE_BUSY = 5;
const SQLITE_LOCKED = 6;
const SQLITE_IOERR = 10;
const SQLITE_CORRUPT = 11;
const SQLITE_FULL = 13;
const SQLITE_CANTOPEN = 14;
const SQLITE_PROTOCOL = 15;
const SQLITE_READONLY = 8;
const SQLITE_NOTADB = 26;

/** Runs `work` and turns SQLite's errors into ones that name the file and the next step. */
export function explained<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw explainSqliteError(error, path);
  }
}

/** SQLite's primary result code; undefined for what is no error of SQLite. */
function sqliteCodeOf(error: unknown): number | undefined {
  if (errnoOf(error) !== 'ERR_SQLITE_ERROR') return undefined;
  return Number(Reflect.get(error as object, 'errcode')) & 0xff;
}

export function explainSqliteError(error: unknown, path: string): unknown {
  const code = sqliteCodeOf(error);
  if (code === undefined) return error;
  const because = messageOf(error);
  switch (code) {
    case SQLITE_FULL:
      return new ActionableError({
        code: 'E_DISK_FULL',
        message: `The disk that holds ${path} is full.`,
        hint: 'Everything acknowledged so far is safe. Free some space and run the same command again to go on.',
        cause: error,
      });
    case SQLITE_IOERR:
      return new ActionableError({
        code: 'E_DISK_IO',
        message: `The disk failed while ${path} was read or written (${because}).`,
        hint: 'Everything acknowledged so far is safe. Check the disk, then run the same command again to go on.',
        cause: error,
      });
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
      return new ActionableError({
        code: 'E_DISK_DENIED',
        message: `${path} cannot be opened (${because}).`,
        hint: 'Check that its directory exists and that you may write there.',
        cause: error,
      });
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL:
      return journalBusy(dirname(path));
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return damagedJournal(path, because, error);
    default:
      return error;
  }
}
