import { dirname, join } from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { ActionableError, digestOf, errnoOf, isRunId, type RunId } from '../base/index.ts';
import { type Disk, openCacheFile } from '../disk/index.ts';
import type { StoredLog } from '../log/index.ts';

/** What is remembered of a log: enough to put it into order, and to see whether it is still the same. */
export interface RememberedLog extends StoredLog {
  readonly run: RunId;
  /** Tells its content from any other without reading it; see `markOf`. */
  readonly mark: string;
  /** When it was looked at. */
  readonly seenMs: number;
}

/** With its row, as JSON. */
export interface RememberedRow extends RememberedLog {
  readonly row: string;
}

const TABLES = `
CREATE TABLE IF NOT EXISTS rows (
  place TEXT NOT NULL, name TEXT NOT NULL, size REAL NOT NULL, modified REAL NOT NULL,
  seen REAL NOT NULL, mark TEXT NOT NULL, run TEXT NOT NULL, row TEXT NOT NULL, sum TEXT NOT NULL,
  PRIMARY KEY (place, name)
) STRICT, WITHOUT ROWID;
`;

export interface MemoryPlaces {
  readonly disk: Disk;
  /** The place of the logs: rows of several places may lie in one file. */
  readonly place: string;
  /** The file in the state directory of the logs; undefined when they are in a bucket. */
  readonly beside?: string | undefined;
  /** A folder of the user's own, for logs beside which nothing can be written. */
  readonly cacheDir?: string | undefined;
}

/**
 * Opens the memory of the rows of a place. It is a cache. Beside the logs it is kept only where there is a state directory already:
 * whoever looks into a folder of other people's logs leaves nothing there. Else it is kept in the user's own folder, and where that cannot
 * be, for this process alone.
 */
export async function openRowMemory({ disk, place, beside, cacheDir }: MemoryPlaces): Promise<RowMemory> {
  const isState = beside !== undefined && (await disk.stat(dirname(beside)))?.kind === 'directory';
  const kept = isState ? await tryOpen(disk, beside, place) : undefined;
  if (kept) return kept;
  const name = `run-rows-2-${digestOf(place).slice(0, 16)}.db`;
  const cached = cacheDir === undefined ? undefined : await tryOpen(disk, join(cacheDir, name), place);
  return cached ?? RowMemory.open(':memory:', place);
}

async function tryOpen(disk: Disk, path: string, place: string): Promise<RowMemory | undefined> {
  try {
    await disk.makeDir(dirname(path));
    return await openCacheFile(disk, path, (file) => RowMemory.open(file, place));
  } catch (error) {
    // Read-only, full, denied, or a database that is held: the list is made without it.
    if (errnoOf(error) === undefined && !(error instanceof ActionableError)) throw error;
    return undefined;
  }
}

/** Rows by the names of their logs. Any number of processes may share one: what they write is the same. */
export class RowMemory implements Disposable {
  readonly #db: DatabaseSync;
  readonly #place: string;
  readonly #statements = new Map<string, StatementSync>();
  #first: ReadonlyMap<string, RememberedLog> | undefined;

  private constructor(db: DatabaseSync, place: string) {
    this.#db = db;
    this.#place = place;
  }

  /** Throws what SQLite says of a file that cannot be used. */
  static open(path: string, place: string): RowMemory {
    const db = new DatabaseSync(path);
    try {
      db.exec('PRAGMA busy_timeout = 5000; PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF;');
      db.exec(TABLES);
      const memory = new RowMemory(db, place);
      // Read at once: what is damaged shows here, where the file can still be made anew.
      memory.#first = memory.#readKnown();
      return memory;
    } catch (error) {
      db.close();
      throw error;
    }
  }

  /** All that is remembered, without the rows themselves. */
  known(): ReadonlyMap<string, RememberedLog> {
    const known = this.#first ?? this.#try(() => this.#readKnown());
    this.#first = undefined;
    return known ?? new Map();
  }

  /** Undefined when it is not there, or not what was put there. */
  row({ name, run }: Pick<RememberedLog, 'name' | 'run'>): string | undefined {
    const found = this.#try(() =>
      this.#prepared('SELECT row, sum FROM rows WHERE place = ? AND name = ?').get(this.#place, name),
    );
    if (typeof found?.row !== 'string') return undefined;
    return found.sum === sumOf({ name, run, row: found.row }) ? found.row : undefined;
  }

  /** Several at once, in one transaction. */
  keep(logs: readonly RememberedRow[]): void {
    if (logs.length === 0) return;
    this.#write(() => {
      const insert = this.#prepared('INSERT OR REPLACE INTO rows VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)');
      for (const { name, sizeBytes, modifiedMs, seenMs, mark, run, row } of logs)
        insert.run(
          this.#place,
          name,
          sizeBytes,
          modifiedMs,
          seenMs,
          mark,
          run,
          row,
          sumOf({ name, run, row }),
        );
    });
  }

  /** They are the same as before, as was seen just now. */
  touch(logs: readonly RememberedLog[]): void {
    if (logs.length === 0) return;
    this.#write(() => {
      const update = this.#prepared(
        'UPDATE rows SET size = ?, modified = ?, seen = ? WHERE place = ? AND name = ? AND mark = ?',
      );
      for (const { name, sizeBytes, modifiedMs, seenMs, mark } of logs)
        update.run(...([sizeBytes, modifiedMs, seenMs, this.#place, name, mark] satisfies SQLInputValue[]));
    });
  }

  forget(names: readonly string[]): void {
    if (names.length === 0) return;
    this.#write(() => {
      const remove = this.#prepared('DELETE FROM rows WHERE place = ? AND name = ?');
      for (const name of names) remove.run(this.#place, name);
    });
  }

  [Symbol.dispose](): void {
    this.#db.close();
  }

  #readKnown(): ReadonlyMap<string, RememberedLog> {
    const logs = new Map<string, RememberedLog>();
    const sql = 'SELECT name, size, modified, seen, mark, run FROM rows WHERE place = ?';
    for (const { name, size, modified, seen, mark, run } of this.#prepared(sql).iterate(this.#place)) {
      if (typeof run !== 'string' || !isRunId(run)) continue;
      logs.set(String(name), {
        name: String(name),
        sizeBytes: Number(size),
        modifiedMs: Number(modified),
        seenMs: Number(seen),
        mark: String(mark),
        run,
      });
    }
    return logs;
  }

  #write(work: () => void): void {
    this.#try(() => {
      this.#db.exec('BEGIN IMMEDIATE');
      try {
        work();
        this.#db.exec('COMMIT');
      } catch (error) {
        this.#db.exec('ROLLBACK');
        throw error;
      }
    });
  }

  /** A memory that fails, damaged or held by somebody, is no memory: what it does not tell is read from the logs. */
  #try<T>(work: () => T): T | undefined {
    try {
      return work();
    } catch (error) {
      if (errnoOf(error) !== 'ERR_SQLITE_ERROR') throw error;
      return undefined;
    }
  }

  #prepared(sql: string): StatementSync {
    const known = this.#statements.get(sql) ?? this.#db.prepare(sql);
    this.#statements.set(sql, known);
    return known;
  }
}

function sumOf({ name, run, row }: Pick<RememberedRow, 'name' | 'run' | 'row'>): string {
  return digestOf(`${name}\n${run}\n${row}`).slice(0, 32);
}
