import { DatabaseSync } from 'node:sqlite';
import { type Digest, errnoOf } from '../base/index.ts';
import { type Disk, isDamagedDatabase } from '../disk/index.ts';
import { copyTables } from './copy-tables.ts';
import { type EarlierChanges, type EarlierLog, indexNameOf } from './earlier-logs.ts';

const TABLES = `
CREATE TABLE IF NOT EXISTS published (
  place TEXT PRIMARY KEY, index_name TEXT NOT NULL, run TEXT NOT NULL, eval TEXT NOT NULL, name TEXT NOT NULL,
  digest TEXT NOT NULL, size_bytes INTEGER NOT NULL, published_by TEXT NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS published_by_eval ON published (eval);
CREATE INDEX IF NOT EXISTS published_by_name ON published (index_name);
CREATE TABLE IF NOT EXISTS seen (n INTEGER PRIMARY KEY CHECK (n = 1), position TEXT NOT NULL) STRICT;
`;

/**
 * Which published runs there are, as far as they were seen: so that of a store of a hundred thousand runs only what came since is
 * read. It is a cache: whatever is wrong with it, it is made again.
 */
export class PublishedIndex implements Disposable {
  readonly #db: DatabaseSync;

  private constructor(path: string) {
    this.#db = new DatabaseSync(path);
    try {
      this.#db.exec('PRAGMA busy_timeout = 20000; PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF;');
      this.#db.exec(`BEGIN IMMEDIATE; ${TABLES} COMMIT;`);
    } catch (error) {
      this.#db.close();
      throw error;
    }
  }

  /** One that cannot be used is made again; whoever only looks, or cannot write there, has one in memory. */
  static async open(
    disk: Disk,
    path: string,
    { isLooking }: { readonly isLooking: boolean },
  ): Promise<PublishedIndex> {
    try {
      if (!isLooking) return new PublishedIndex(path);
      return (await disk.stat(path)) ? PublishedIndex.#copyOf(path) : new PublishedIndex(':memory:');
    } catch (error) {
      if (errnoOf(error) !== 'ERR_SQLITE_ERROR') throw error;
      if (!isLooking && isDamagedDatabase(error))
        for (const ending of ['', '-wal', '-shm']) await disk.remove(`${path}${ending}`);
      return new PublishedIndex(':memory:');
    }
  }

  /** In memory, with what the file holds, which is not touched. */
  static #copyOf(path: string): PublishedIndex {
    const index = new PublishedIndex(':memory:');
    try {
      copyTables(index.#db, path, ['published', 'seen']);
      return index;
    } catch (error) {
      index[Symbol.dispose]();
      throw error;
    }
  }

  get position(): string | undefined {
    const row = this.#db.prepare('SELECT position FROM seen').get();
    return row ? String(row.position) : undefined;
  }

  /** What could not be read is asked for again: the position stays where it is then. */
  take({ position, isSince, added, removed, problems }: EarlierChanges): void {
    this.#db.exec('BEGIN IMMEDIATE');
    try {
      if (!isSince) this.#db.exec('DELETE FROM published');
      const remove = this.#db.prepare('DELETE FROM published WHERE place = ?');
      for (const place of removed) remove.run(place);
      const insert = this.#db.prepare('INSERT OR REPLACE INTO published VALUES (?, ?, ?, ?, ?, ?, ?, ?)');
      for (const log of added)
        insert.run(
          log.place,
          indexNameOf(log),
          log.run,
          log.eval,
          log.name,
          log.digest,
          log.sizeBytes,
          log.by,
        );
      if (problems.length === 0) this.#db.prepare('INSERT OR REPLACE INTO seen VALUES (1, ?)').run(position);
      this.#db.exec('COMMIT');
    } catch (error) {
      this.#db.exec('ROLLBACK');
      throw error;
    }
  }

  /** Also those of a longer name that was cut to the beginning of this one: only their logs tell whose they are. */
  *ofEval(name: string): Iterable<EarlierLog> {
    const names = [name, ...cutForms(name)];
    const sql = `SELECT * FROM published WHERE eval IN (${names.map(() => '?').join(', ')})`;
    for (const row of this.#db.prepare(sql).all(...names)) yield logOf(row);
  }

  byIndexName(name: string): EarlierLog | undefined {
    const row = this.#db.prepare('SELECT * FROM published WHERE index_name = ?').get(name);
    return row && logOf(row);
  }

  [Symbol.dispose](): void {
    this.#db.close();
  }
}

/** Rows are small: a long name has an ellipsis in the place of its end [RES-6]. */
function cutForms(name: string): readonly string[] {
  const lengths = Math.min(name.length - 1, CUT_LENGTH_MAX);
  return Array.from({ length: Math.max(0, lengths) }, (_, at) => `${name.slice(0, at + 1)}…`);
}

const CUT_LENGTH_MAX = 200;

function logOf(row: Readonly<Record<string, unknown>>): EarlierLog {
  return {
    place: String(row.place),
    run: String(row.run),
    eval: String(row.eval),
    name: String(row.name),
    digest: String(row.digest) as Digest,
    sizeBytes: Number(row.size_bytes),
    by: String(row.published_by),
  };
}
