/** The databases of the example. They are made of the `.sql` files beside them, so that no binary file is in git. */
import { readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { DatabaseSync } from 'node:sqlite';

const DATABASES = ['shop', 'school', 'library', 'airline'];

/** Relative to the eval file, as `inputs` want it. */
export const DATABASE_FILES = DATABASES.map((db) => `databases/${db}.sqlite`);

export function databasePath(db: string): string {
  return join(import.meta.dirname, 'databases', `${db}.sqlite`);
}

/** Makes those that are missing, or older than their `.sql`. */
export function makeDatabases(): void {
  for (const path of DATABASES.map(databasePath)) {
    const source = path.replace(/\.sqlite$/, '.sql');
    const made = statSync(path, { throwIfNoEntry: false });
    if (made && made.mtimeMs >= statSync(source).mtimeMs) continue;
    // Whole or not there: another process may look for it at the same time.
    const unfinished = `${path}.${process.pid}`;
    rmSync(unfinished, { force: true });
    const database = new DatabaseSync(unfinished);
    database.exec(`BEGIN; ${readFileSync(source, 'utf8')} COMMIT;`);
    database.close();
    renameSync(unfinished, path);
  }
}
