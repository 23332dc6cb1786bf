import { openSyncFile } from '../../disk/index.ts';
import { readWal } from './wal-frames.ts';

/** SQLite's usual one, for a log that does not say it. */
const PAGE_BYTES = 4096;
/** What a person can have bought in one eval is far less; more would not fit into memory. */
const DATABASE_BYTES_MAX = 1024 * 1024 * 1024;

/**
 * The database that a write-ahead log makes of nothing: its pages as they were committed last. Undefined when the first
 * page is not among them. A page that never was in the log is empty.
 */
export function databaseInWal(path: string): Uint8Array | undefined {
  const wal = readWal(path, PAGE_BYTES);
  using file = openSyncFile(path, 'read');
  if (!file || !wal) return undefined;
  const newest = new Map<number, number>();
  for (const { page, at, isReadable } of wal.frames) if (isReadable) newest.set(page, at);
  let pages = 0;
  for (const page of newest.keys()) pages = Math.max(pages, page);
  if (!newest.has(1) || pages * wal.pageBytes > DATABASE_BYTES_MAX) return undefined;
  const bytes = Buffer.alloc(pages * wal.pageBytes);
  for (const [page, at] of newest) {
    const from = (page - 1) * wal.pageBytes;
    file.read(bytes.subarray(from, from + wal.pageBytes), at);
  }
  return bytes;
}
