import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { type Acknowledged, noRows } from './acknowledged.ts';
import { COLUMNS } from './journal-rows.ts';
import { rowSum } from './row-sum.ts';
import { TABLES, type Table } from './schema.ts';

/** A value that a column can hold. */
export type Value = null | number | string | Uint8Array;

export function toValue(value: unknown): Value {
  if (typeof value === 'string' || typeof value === 'number' || value instanceof Uint8Array) return value;
  return null;
}

export interface InsertOptions {
  readonly n?: number;
  readonly usd?: number;
  /** True for what another journal of the same run holds as well, and has marked. */
  readonly isCopy?: boolean;
}

/**
 * Inserts rows into a journal, each with its checksum [JRN-9], and counts them. Contents are there once, by their hash; any
 * other row that is there already is a mistake.
 */
export class RowInserter {
  readonly #statements: ReadonlyMap<
    Table,
    { readonly plain: StatementSync; readonly numbered: StatementSync }
  >;
  readonly #rows = noRows();
  #usd = 0;
  #copied = { answers: 0, usd: 0 };

  constructor(db: DatabaseSync) {
    this.#statements = new Map(
      TABLES.map((table) => {
        const verb = table === 'contents' ? 'INSERT OR IGNORE' : 'INSERT';
        const make = (names: readonly string[]) =>
          db.prepare(
            `${verb} INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
          );
        const columns = [...COLUMNS[table], 'sum'];
        return [table, { plain: make(columns), numbered: make(['n', ...columns]) }];
      }),
    );
  }

  /** `values` are the columns but `n` and `sum`; without `n` the row gets the next one. */
  insert(table: Table, values: readonly Value[], { n, usd = 0, isCopy }: InsertOptions = {}): void {
    const statements = this.#statements.get(table);
    const row: SQLInputValue[] = [...values, rowSum(table, values)];
    const result = n === undefined ? statements?.plain.run(...row) : statements?.numbered.run(n, ...row);
    if (Number(result?.changes) === 0) return;
    this.#rows[table]++;
    // A price that is no number would make the whole mark unreadable.
    const price = Number.isFinite(usd) ? usd : 0;
    this.#usd += price;
    if (!isCopy || table !== 'answers') return;
    this.#copied = { answers: this.#copied.answers + 1, usd: this.#copied.usd + price };
  }

  /** What was inserted so far. */
  counted(commits: number): Acknowledged {
    const { answers } = this.#copied;
    return {
      commits,
      rows: this.#rows,
      usd: this.#usd,
      ...(answers > 0 ? { copied: this.#copied } : {}),
    };
  }
}
