import type { RunChange } from '../log/index.ts';
import type { JournalReader } from './journal-reader.ts';
import { type Progress, toPosition } from './run-positions.ts';

/** In this order a sample that began and ended since the last look is told. */
const TABLES = [
  { table: 'attempts', attempt: 'n', kind: 'begun' },
  { table: 'events', attempt: 'attempt', kind: 'went on' },
  { table: 'results', attempt: 'attempt', kind: 'ended' },
] as const;

const PAGE_ROWS = 256;
/** The name of the number that says that `finished` was told. */
export const FINISHED = 'finished';

/** What is new in one journal since `progress`, row by row: each change has the position after which the next comes. */
export function* changesIn(
  reader: JournalReader,
  progress: Progress,
): Iterable<RunChange & { readonly progress: Progress }> {
  let reached = progress;
  const { writer } = reader.writer();
  for (const { table, attempt, kind } of TABLES) {
    const name = `${table} ${writer}`;
    const sql = `SELECT t.n AS n, t.${attempt} AS attempt FROM ${table} t WHERE t.n > ? ORDER BY t.n LIMIT ${PAGE_ROWS}`;
    for (;;) {
      const page = reader.rows.select(sql, reached[name] ?? 0);
      for (const row of page) {
        reached = { ...reached, [name]: Number(row.n) };
        const sample = reader.sampleOf(Number(row.attempt));
        if (sample) yield { position: toPosition(reached), progress: reached, kind, sample };
      }
      if (page.length < PAGE_ROWS) break;
    }
  }
}

/** The position after everything that a journal holds now. */
export function progressOf(reader: JournalReader): Progress {
  const { writer } = reader.writer();
  return Object.fromEntries(
    TABLES.map(({ table }) => {
      const [last] = reader.rows.select(`SELECT coalesce(max(n), 0) AS n FROM ${table}`);
      return [`${table} ${writer}`, Number(last?.n ?? 0)];
    }),
  );
}
