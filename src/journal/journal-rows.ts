import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite';
import { errnoOf } from '../base/index.ts';
import { damagedJournal, explained } from './database.ts';
import type { OpenDatabases, Reopened } from './open-databases.ts';
import type { RunRecord } from './records.ts';
import { rowSum } from './row-sum.ts';
import { columnsOf, forAllTables, type JournalVersion, type Table } from './schema.ts';
import { tryParse } from './stored-documents.ts';

export type Row = Readonly<Record<string, SQLOutputValue>>;

export interface Many {
  readonly where?: string;
  readonly values?: readonly SQLInputValue[];
  readonly by?: 'n' | 'position';
  /** Only what comes after this. */
  readonly after?: number;
}

/** How many rows are fetched at a time. Between two pages nothing is held: neither a cursor nor a transaction. */
const PAGE_ROWS = 64;
/** More than these are read again: they are many samples, beside which opening a file is nothing. */
const KNOWN_ROWS_MAX = 8;

/**
 * The rows of a journal, page by page and checked one by one: a row whose checksum is wrong is never given out [JRN-9], but
 * told to `onDamage`.
 */
export class JournalRows {
  readonly path: string;
  readonly version: JournalVersion;
  onDamage: (table: Table, row: Row) => void = () => undefined;
  #db: DatabaseSync;
  #shared: { readonly among: OpenDatabases; readonly as: Reopened } | undefined;
  /** Prepared statements that are not in use. Preparing one takes longer than running it. */
  readonly #statements = new Map<string, StatementSync>();
  readonly #known = new Map<string, readonly Row[]>();

  constructor(
    db: DatabaseSync,
    { path, version }: { readonly path: string; readonly version: JournalVersion },
  ) {
    this.#db = db;
    this.path = path;
    this.version = version;
  }

  get db(): DatabaseSync {
    if (!this.#shared) return this.#db;
    const { among, as } = this.#shared;
    const db = among.use(as);
    if (db !== this.#db) this.#statements.clear();
    this.#db = db;
    return db;
  }

  /** Lets it be closed while others are read. Only for a journal that never changes: it is asked once for what is asked of all. */
  shareAmong(among: OpenDatabases, open: () => DatabaseSync): void {
    const as = { open: () => explained(this.path, open) };
    this.#shared = { among, as };
    among.add(as, this.#db);
  }

  /** A run record, shared with the other journals of the run. */
  runRecord(json: string, parse: (json: string) => RunRecord | undefined): RunRecord | undefined {
    return this.#shared ? this.#shared.among.runRecord(json, parse) : parse(json);
  }

  /** True when nothing in it changes any more. */
  get isSettled(): boolean {
    return this.#shared !== undefined;
  }

  /** Closing twice is fine. */
  close(): void {
    if (this.#shared) this.#shared.among.close(this.#shared.as);
    else if (this.#db.isOpen) this.#db.close();
  }

  /** The first row that is whole. */
  one(table: Table, where: string, ...values: SQLInputValue[]): Row | undefined {
    const rows = this.select(`${SELECT[table]} WHERE ${where} ORDER BY n LIMIT 2`, ...values);
    return rows.find((row) => this.#isWhole(table, row));
  }

  /** All rows that are whole, in the order of `by`, which no two of them share. */
  *many(table: Table, { where = '1', values = [], by = 'n', after = 0 }: Many = {}): Iterable<Row> {
    const sql = `${SELECT[table]} WHERE ${where} AND ${by} > ? ORDER BY ${by} LIMIT ${PAGE_ROWS}`;
    for (let last = after; ; ) {
      const page = this.select(sql, ...values, last);
      for (const row of page) if (this.#isWhole(table, row)) yield row;
      if (page.length < PAGE_ROWS) return;
      last = this.next(Number(page.at(-1)?.[by]), last);
    }
  }

  /** Where the next page begins. On damaged pages SQLite may find rows in any order, and the same ones for ever. */
  next(found: number, last: number): number {
    if (found > last) return found;
    throw damagedJournal(this.path, 'its rows are in no order');
  }

  /** Unchecked: for what is derived from several columns or tables. */
  select(sql: string, ...values: SQLInputValue[]): readonly Row[] {
    return explained(this.path, () => {
      try {
        return this.#prepared(sql).all(...values);
      } catch (error) {
        if (errnoOf(error) !== 'ERR_OUT_OF_RANGE') throw error;
        throw damagedJournal(this.path, 'a number in it is larger than any that was ever written', error);
      }
    });
  }

  /** Like `select`, for what is asked of every journal of a run: one that never changes says it once, if it is not much. */
  ask(sql: string, ...values: SQLInputValue[]): readonly Row[] {
    if (!this.#shared) return this.select(sql, ...values);
    const question = `${sql} ${JSON.stringify(values)}`;
    const known = this.#known.get(question);
    if (known) return known;
    const rows = this.select(sql, ...values);
    if (rows.length <= KNOWN_ROWS_MAX) this.#known.set(question, rows);
    return rows;
  }

  /** The number in the first column of the first row. */
  number(sql: string, ...values: SQLInputValue[]): number {
    const [row] = values.length === 0 ? this.ask(sql) : this.select(sql, ...values);
    return Number(row ? Object.values(row)[0] : 0);
  }

  /** What answers cost, as far as their prices are known: all of them, or those that `where` names. */
  spentUsd(where = '1', ...values: SQLInputValue[]): number {
    return this.number(`${SPENT_USD} AND ${where}`, ...values);
  }

  #isWhole(table: Table, row: Row): boolean {
    if (this.version === 1 ? isPlausible(table, row) : isRowWhole(table, row)) return true;
    this.onDamage(table, row);
    return false;
  }

  #prepared(sql: string): StatementSync {
    // Asked for first: what was prepared before it was closed is gone with it.
    const { db } = this;
    let statement = this.#statements.get(sql);
    if (!statement) {
      statement = db.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}

/** What was bought by another run and given again cost nothing here. */
const SPENT_USD =
  "SELECT total(json_extract(data, '$.costUsd')) FROM answers WHERE json_valid(data, 2) AND json_extract(data, '$.from') IS NULL";

/** True when a row of version 2 has the checksum of its columns. */
export function isRowWhole(table: Table, row: Row): boolean {
  return (
    row.sum ===
    rowSum(
      table,
      COLUMNS[table].map((name) => row[name] ?? null),
    )
  );
}

/** Version 1 has no checksums: what it can never have held is known to be damaged. */
function isPlausible(table: Table, row: Row): boolean {
  if (table === 'links') return Number(row.position) <= POSITIONS_MAX;
  const document = row[DOCUMENTS[table] ?? ''];
  if (typeof document !== 'string') return true;
  const lines = table === 'events' ? document.split('\n') : [document];
  return lines.every((line) => tryParse(line) !== undefined);
}

/** No pool is that long: a damaged position would have as many lost entries before it. */
const POSITIONS_MAX = 1_000_000;
const DOCUMENTS: Readonly<Partial<Record<Table, string>>> = {
  attempts: 'data',
  events: 'json',
  answers: 'data',
  outputs: 'data',
  results: 'data',
  reused: 'summary',
};

/** The names of a table's columns besides `n` and `sum`. */
export const COLUMNS = forAllTables((table) => (columnsOf(2, table) ?? []).map(({ name }) => name));
const SELECT = forAllTables((table) => `SELECT n, ${COLUMNS[table].join(', ')}, sum FROM ${table}`);
