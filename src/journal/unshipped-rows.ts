import type { JournalReader } from './journal-reader.ts';
import { COLUMNS, type Row } from './journal-rows.ts';
import { toValue } from './row-inserter.ts';
import { TABLES, type Table } from './schema.ts';
import { type Cursors, encodeRow } from './segment.ts';

export const NOTHING_SHIPPED: Cursors = Object.fromEntries(TABLES.map((table) => [table, 0]));

export interface Unshipped {
  /** Lines of a segment. */
  readonly rows: readonly string[];
  readonly cursors: Cursors;
  /** False when there is more than went in. */
  readonly isAll: boolean;
}

/** The rows after `from`, up to about `bytesMax`: "all rows with `n` beyond the last shipped" is what is new [SEG-4]. */
export function collectRows(reader: JournalReader, from: Cursors, bytesMax: number): Unshipped {
  const rows: string[] = [];
  const cursors: Record<string, number> = { ...from };
  let room = bytesMax;
  for (const table of TABLES) {
    for (const row of reader.rows.many(table, { after: from[table] ?? 0 })) {
      if (room <= 0) return { rows, cursors, isAll: false };
      const line = lineOf(table, row);
      rows.push(line);
      room -= line.length;
      cursors[table] = Number(row.n);
    }
  }
  return { rows, cursors, isAll: true };
}

/** The same rows again: those after `from`, up to and with `to`. */
export function rowsUpTo(reader: JournalReader, from: Cursors, to: Cursors): readonly string[] {
  const rows: string[] = [];
  for (const table of TABLES) {
    const last = to[table] ?? 0;
    const range = { where: 'n <= ?', values: [last], after: from[table] ?? 0 };
    for (const row of reader.rows.many(table, range)) rows.push(lineOf(table, row));
  }
  return rows;
}

function lineOf(table: Table, row: Row): string {
  const values = [...COLUMNS[table], 'sum'].map((name) => toValue(row[name]));
  return encodeRow({ table, n: Number(row.n), values });
}
