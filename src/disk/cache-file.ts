import type { Disk } from './disk.ts';

/** SQLITE_CORRUPT and SQLITE_NOTADB: nobody else can use it either, so it may go. */
const DAMAGED: ReadonlySet<unknown> = new Set([11, 26]);

/** True for what SQLite says of a database that is damaged, and of a file that is none. */
export function isDamagedDatabase(error: unknown): boolean {
  return error instanceof Error && DAMAGED.has(Reflect.get(error, 'errcode'));
}

/** Opens a database that is only a cache: one that is damaged is removed and made anew. */
export async function openCacheFile<T>(disk: Disk, path: string, open: (path: string) => T): Promise<T> {
  try {
    return open(path);
  } catch (error) {
    if (!isDamagedDatabase(error)) throw error;
    for (const ending of ['', '-wal', '-shm']) await disk.remove(`${path}${ending}`);
    return open(path);
  }
}
