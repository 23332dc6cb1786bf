import type { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';

/**
 * Copies tables of a database file into one that has them already, for whoever only looks: the file and what lies beside it are not
 * touched. Of one that another process is writing, what it wrote last is missing.
 */
export function copyTables(into: DatabaseSync, path: string, tables: readonly string[]): void {
  into.prepare('ATTACH ? AS there').run(readOnlyAddress(path).href);
  for (const table of tables) into.exec(`INSERT INTO main.${table} SELECT * FROM there.${table}`);
  into.exec('DETACH there');
}

/** For whoever only looks: not even files of SQLite's own are made beside it. */
export function readOnlyAddress(path: string): URL {
  const address = pathToFileURL(path);
  address.search = '?mode=ro&immutable=1';
  return address;
}
