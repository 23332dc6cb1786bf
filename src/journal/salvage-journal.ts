import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { DamageError, messageOf } from '../base/index.ts';
import { createDatabase, explainSqliteError } from './database.ts';
import { SHIPPED_TABLES, type ShippedTable } from './schema.ts';

export interface SalvageReport {
  readonly rows: number;
  /** One sentence for each table that could not be read to its end. */
  readonly problems: readonly string[];
}

/**
 * Copies every row that can still be read from a damaged journal into a new database. Each table is read from both ends:
 * damage in its middle does not hide what comes after it.
 */
export function salvageJournal(path: string, into: string): SalvageReport {
  const source = new DatabaseSync(path, { readOnly: true });
  const target = createDatabase(into);
  const problems: string[] = [];
  let rows = 0;
  try {
    target.exec('BEGIN IMMEDIATE');
    for (const table of Object.keys(SHIPPED_TABLES) as ShippedTable[]) {
      const first = copyRows(source, target, { table, order: 'ASC' });
      rows += first.copied;
      if (first.error === undefined) continue;
      rows += copyRows(source, target, { table, order: 'DESC' }).copied;
      problems.push(`Table ${table} of ${path} could not be read whole (${first.error}).`);
    }
    target.exec('COMMIT');
    return { rows, problems };
  } finally {
    source.close();
    target.close();
  }
}

function copyRows(
  source: DatabaseSync,
  target: DatabaseSync,
  { table, order }: { readonly table: ShippedTable; readonly order: 'ASC' | 'DESC' },
): { readonly copied: number; readonly error?: string } {
  const columns = SHIPPED_TABLES[table];
  const marks = columns.map(() => '?').join(', ');
  const insert = target.prepare(`INSERT OR IGNORE INTO ${table} (${columns.join(', ')}) VALUES (${marks})`);
  let copied = 0;
  try {
    const rows = source.prepare(`SELECT ${columns.join(', ')} FROM ${table} ORDER BY n ${order}`).iterate();
    for (const row of rows) {
      copied += Number(insert.run(...columns.map((column) => row[column] as SQLInputValue)).changes);
    }
    return { copied };
  } catch (error) {
    if (!(explainSqliteError(error, table) instanceof DamageError)) throw error;
    return { copied, error: messageOf(error) };
  }
}
