import { truncateSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { ActionableError, messageOf } from '../base/index.ts';
import { identityOfFile } from './file-identity.ts';
import { forgetLock, refuseLockFile, rememberLock } from './held-locks.ts';

/**
 * A lock between processes that the system frees when its holder dies, whatever kills it: an exclusive SQLite
 * transaction on a small file. Nothing is ever written into that file, and it stays when the lock is released (removing
 * it would let two holders lock two files of one name). What others put into it does not matter.
 *
 * The locks are those of fcntl: a process that opens and closes the lock file by any other way loses them. So every other
 * way to open a file refuses those that are held (`held-locks.ts`).
 */
export interface Lock extends Disposable {
  readonly path: string;
  release(): void;
}

/** A database that is garbage-collected is closed, and its lock with it: held locks are kept reachable here. */
const held = new Set<DatabaseSync>();

/** The rollback journal stays in memory: there is nothing to roll back, and a lock must not need room on a full disk. */
const TAKE = 'PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE';
const ASK = 'BEGIN; SELECT count(*) FROM sqlite_schema';

const ATTEMPTS_MAX = 200;
const FAILURES_MAX = 20;
const PAUSE_MS = 1;

/**
 * Takes the lock for the life of this process, or until `release`; undefined when somebody else holds it (also within
 * this process), or when the file was moved away or removed meanwhile. The directory must exist.
 */
export function tryLock(path: string): Lock | undefined {
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const lock = patiently(() => tryOnce(path));
    if (lock) return lock;
    if (isLocked(path)) return undefined;
    // Nobody holds it: somebody was only asking, which takes far less than a millisecond.
    pause();
  }
  return undefined;
}

/** True when some process, this one included, holds the lock now. Changes nothing and makes no file. */
export function isLocked(path: string): boolean {
  return patiently(() => {
    if (identityOfFile(path) === undefined) return false;
    const database = openDatabase(path, true);
    try {
      // With garbage in it: whoever got as far as reading it was kept out by nobody.
      return begin(database, path, ASK) === 'busy';
    } finally {
      database.close();
    }
  });
}

function tryOnce(path: string): Lock | undefined {
  const before = identityOfFile(path);
  const database = openDatabase(path, false);
  let isOurs = false;
  let begun: Begun | undefined;
  try {
    begun = begin(database, path, TAKE);
    isOurs = begun === 'ours' && isStillThere(path, before);
    return isOurs ? hold(database, path) : undefined;
  } finally {
    if (!isOurs) database.close();
    if (begun === 'garbage') empty(path);
  }
}

/**
 * Takes out what was put into a lock file; the next attempt finds it as it should be. Nobody held it a moment ago, and if
 * somebody else holds it by now, no lock of theirs is lost by this.
 */
function empty(path: string): void {
  refuseLockFile(path);
  try {
    truncateSync(path, 0);
  } catch (error) {
    throw unusable(error, path);
  }
}

/**
 * The file, or the directory around it, may be made, moved or removed by others at this very moment; what is still unusable
 * a little later is so for good.
 */
function patiently<T>(work: () => T): T {
  for (let failures = 1; ; failures++) {
    try {
      return work();
    } catch (error) {
      if (failures >= FAILURES_MAX) throw error;
      pause();
    }
  }
}

function pause(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
}

/** The directory may have got another name between opening and locking: then what is locked is nobody's concern. */
function isStillThere(path: string, before: string | undefined): boolean {
  const now = identityOfFile(path);
  return now !== undefined && (before === undefined || before === now);
}

function hold(database: DatabaseSync, path: string): Lock {
  held.add(database);
  const identity = rememberLock(path);
  const release = () => {
    if (!held.delete(database)) return;
    forgetLock(identity);
    database.close();
  };
  return { path, release, [Symbol.dispose]: release };
}

/** Loaded when first needed: most commands take no lock. */
function openDatabase(path: string, readOnly: boolean): DatabaseSync {
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
  try {
    return new DatabaseSync(path, { readOnly, timeout: 0 });
  } catch (error) {
    throw unusable(error, path);
  }
}

/** `busy`: another connection is in the way. `garbage`: none is, but what is in the file is no database. */
type Begun = 'ours' | 'busy' | 'garbage';

/** SQLite reads the file only after it has locked it against writers: what it says of the content, it says holding that. */
function begin(database: DatabaseSync, path: string, sql: string): Begun {
  try {
    database.exec(sql);
    return 'ours';
  } catch (error) {
    const code = sqliteCodeOf(error);
    if (code === SQLITE_BUSY) return 'busy';
    if (code === SQLITE_NOTADB || code === SQLITE_CORRUPT) return 'garbage';
    throw unusable(error, path);
  }
}

const SQLITE_BUSY = 5;
const SQLITE_CORRUPT = 11;
const SQLITE_NOTADB = 26;

function sqliteCodeOf(error: unknown): number | undefined {
  const code: unknown = error instanceof Error ? Reflect.get(error, 'errcode') : undefined;
  return typeof code === 'number' ? code & 0xff : undefined;
}

function unusable(error: unknown, path: string): ActionableError {
  return new ActionableError({
    code: 'E_LOCK_UNUSABLE',
    message: `Cannot lock ${path}: ${messageOf(error)}.`,
    hint: 'Check that its directory exists and can be written, and that the file is not something else.',
    cause: error,
  });
}
