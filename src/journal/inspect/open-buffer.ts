import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { errnoOf, messageOf } from '../../base/index.ts';
import { copyBytes, type Disk, tempPathFor } from '../../disk/index.ts';
import { databaseInWal } from '../salvage/database-in-wal.ts';
import { type BufferProblem, bufferErrors } from './buffer-problem.ts';

const SQLITE_READONLY = 8;
const SQLITE_CANTOPEN = 14;
const SQLITE_PROTOCOL = 15;

/** An open database, and how to leave it. */
export interface OpenBuffer {
  readonly db: DatabaseSync;
  /** What is missing of it, although it could be opened. */
  readonly problems?: readonly BufferProblem[];
  close(): Promise<void>;
}

/**
 * Opens a buffer database for reading, its WAL included, without changing a byte of it. What cannot be read in place (a
 * transaction that must be rolled back first, a directory that may not be written) is copied and read there.
 */
export async function openBufferFile(
  disk: Disk,
  path: string,
  options: { readonly scratchDir: string },
): Promise<OpenBuffer> {
  const rebuilt = await openRebuilt(disk, path, options.scratchDir);
  if (rebuilt) return rebuilt;
  await refuseForeignBytes(disk, path);
  const inPlace = tryOpen(path);
  if (inPlace.db) {
    const { db } = inPlace;
    return { db, close: async () => db.close() };
  }
  const code = sqliteCode(inPlace.error);
  if (code !== SQLITE_READONLY && code !== SQLITE_CANTOPEN && code !== SQLITE_PROTOCOL) {
    throw explainBufferError(inPlace.error, path);
  }
  return openCopy(disk, path, options.scratchDir);
}

/** SQLite's errors about a buffer, as ours; anything else is given back. */
export function explainBufferError(error: unknown, path: string): unknown {
  if (errnoOf(error) !== 'ERR_SQLITE_ERROR') return error;
  const code = sqliteCode(error);
  if (code === SQLITE_CANTOPEN || code === SQLITE_READONLY)
    return bufferErrors.unreadable(path, messageOf(error), error);
  return bufferErrors.damaged(path, messageOf(error), error);
}

async function refuseForeignBytes(disk: Disk, path: string): Promise<void> {
  const stat = await disk.stat(path);
  const hasLog = (await disk.stat(`${path}-wal`)) !== undefined;
  if (!stat && hasLog) throw bufferErrors.lostDatabase(path);
  if (!stat) throw bufferErrors.foreign(path, 'there is no such file');
  if (stat.kind === 'directory') throw bufferErrors.foreign(path, 'it is a directory');
  // SQLite takes the WAL of an empty database for a leftover and deletes it.
  if (stat.sizeBytes === 0) throw bufferErrors.emptyDatabase(path);
  await using file = await disk.open(path, 'read');
  const start = new Uint8Array(16);
  await file.read(start, 0);
  if (Buffer.from(start).toString('latin1') !== 'SQLite format 3\0') {
    throw bufferErrors.foreign(path, 'it is not a SQLite database');
  }
}

function tryOpen(path: string, readOnly = true): { readonly db?: DatabaseSync; readonly error?: unknown } {
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(path, { readOnly, timeout: 10_000 });
    db.prepare('SELECT count(*) FROM sqlite_schema').get();
    return { db };
  } catch (error) {
    db?.close();
    return { error };
  }
}

/**
 * A database that is gone or empty, while its write-ahead log is there: what was not moved into it yet is all in the log.
 * Undefined when the database is there, or nothing can be made of the log.
 */
async function openRebuilt(disk: Disk, path: string, scratchDir: string): Promise<OpenBuffer | undefined> {
  const sizeBytes = (await disk.stat(path))?.sizeBytes;
  if (sizeBytes !== undefined && sizeBytes > 0) return undefined;
  const bytes = databaseInWal(`${path}-wal`);
  if (!bytes) return undefined;
  const dir = tempPathFor(join(scratchDir, 'buffer'));
  const copy = join(dir, 'buffer.db');
  await disk.makeDir(dir);
  await using file = await disk.open(copy, 'create');
  await file.write(bytes, 0);
  const { db } = tryOpen(copy);
  const removeCopy = () => disk.removeTree(dir);
  if (!db) {
    await removeCopy();
    return undefined;
  }
  const close = async () => {
    db.close();
    await removeCopy();
  };
  const { code, message } = bufferErrors.onlyLog(path, sizeBytes === undefined ? 'gone' : 'empty');
  return { db, close, problems: [{ code, message }] };
}

async function openCopy(disk: Disk, path: string, scratchDir: string): Promise<OpenBuffer> {
  // A directory, since SQLite makes further files beside the copy: what a crash leaves is swept with it.
  const dir = tempPathFor(join(scratchDir, 'buffer'));
  const copy = join(dir, 'buffer.db');
  const removeCopy = () => disk.removeTree(dir);
  try {
    await disk.makeDir(dir);
    for (const ending of ['', '-wal', '-journal']) await copyFile(disk, path + ending, copy + ending);
    const { db, error } = tryOpen(copy, false);
    if (!db) throw explainBufferError(error, path);
    const close = async () => {
      db.close();
      await removeCopy();
    };
    return { db, close };
  } catch (error) {
    await removeCopy();
    throw error;
  }
}

/** A missing file is fine: a database need not have a WAL, and may lose it while we look. */
async function copyFile(disk: Disk, from: string, to: string): Promise<void> {
  const opened = await disk.open(from, 'read').catch((error: unknown) => {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  });
  if (!opened) return;
  await using source = opened;
  await using target = await disk.open(to, 'create');
  await copyBytes(source, target);
}

function sqliteCode(error: unknown): number {
  const code: unknown = error instanceof Error ? Reflect.get(error, 'errcode') : undefined;
  return typeof code === 'number' ? code & 0xff : 0;
}
