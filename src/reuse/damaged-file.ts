/** SQLITE_CORRUPT and SQLITE_NOTADB: nobody else can use it either, so it may go. */
const DAMAGED: ReadonlySet<unknown> = new Set([11, 26]);

/** True for what SQLite says of a file that is no database any more. */
export function isDamagedFile(error: unknown): boolean {
  return error instanceof Error && DAMAGED.has(Reflect.get(error, 'errcode'));
}
