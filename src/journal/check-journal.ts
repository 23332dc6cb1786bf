import type { Acknowledged } from './acknowledged.ts';
import type { DamageNotes } from './damage-notes.ts';
import type { JournalRows, Row } from './journal-rows.ts';
import { hashesIn } from './long-texts.ts';
import { TABLES, type Table } from './schema.ts';

export interface CheckOutcome {
  /** False when a checksum is wrong, SQLite finds its pages damaged, or less is there than was acknowledged. */
  readonly isSound: boolean;
}

/**
 * One pass over every row of a journal that nobody writes: checksums [JRN-9], the rows that results promise [JRN-10], the
 * texts that documents name, and what was acknowledged [JRN-11]. Everything that is wrong goes into `notes`.
 */
export function checkJournal(
  rows: JournalRows,
  notes: DamageNotes,
  mark: Acknowledged | undefined,
): CheckOutcome {
  // One snapshot for all of it: whoever is thought to be dead may still be writing.
  rows.db.exec('BEGIN');
  try {
    return new Check(rows, notes).run(mark);
  } finally {
    rows.db.exec('COMMIT');
  }
}

class Check {
  readonly #rows: JournalRows;
  readonly #notes: DamageNotes;
  #isSound = true;

  constructor(rows: JournalRows, notes: DamageNotes) {
    this.#rows = rows;
    this.#notes = notes;
    rows.onDamage = (table, row) => {
      this.#isSound = false;
      notes.row(table, row);
    };
  }

  run(mark: Acknowledged | undefined): CheckOutcome {
    this.#checkPages();
    const counts = new Map<Table, number>();
    for (const table of TABLES) counts.set(table, this.#checkTable(table));
    this.#checkResults();
    this.#checkLinks();
    this.#checkBeginnings();
    if (mark) this.#checkMark(mark, counts);
    return { isSound: this.#isSound };
  }

  #checkPages(): void {
    const [row] = this.#rows.select('PRAGMA integrity_check(1)');
    const found = String(row?.integrity_check);
    if (found === 'ok') return;
    this.#isSound = false;
    this.#notes.say(`${this.#rows.path} is damaged (${found.replaceAll('\n', ' ')}).`);
  }

  /** Gives how many rows are whole. */
  #checkTable(table: Table): number {
    let count = 0;
    for (const row of this.#rows.many(table)) {
      count++;
      this.#checkReferences(table, row);
    }
    return count;
  }

  #checkReferences(table: Table, row: Row): void {
    const attempt = Number(table === 'attempts' ? row.n : row.attempt);
    if (table === 'contents' || typeof row.data !== 'string' || Number.isNaN(attempt)) return;
    for (const hash of hashesIn(row.data)) {
      if (!this.#isThere(hash)) this.#lacks(attempt, `a text that it refers to (${hash}) is not there`);
    }
  }

  /** A result says how many rows its attempt has [JRN-10]. */
  #checkResults(): void {
    if (this.#rows.version === 1) return;
    for (const table of ['events', 'links', 'answers'] as const) {
      const short = this.#rows.select(
        `SELECT r.attempt AS attempt, r.${table} AS promised, (SELECT count(*) FROM ${table} t WHERE t.attempt = r.attempt) AS found FROM results r WHERE found < promised`,
      );
      for (const { attempt, promised, found } of short)
        this.#lacks(Number(attempt), `${Number(promised) - Number(found)} of its ${table} are not there`);
    }
  }

  #checkLinks(): void {
    const dangling = this.#rows.select(
      'SELECT DISTINCT attempt FROM links l WHERE hash IS NOT NULL AND NOT EXISTS (SELECT 1 FROM contents c WHERE c.hash = l.hash)',
    );
    for (const { attempt } of dangling) this.#lacks(Number(attempt), 'a text that it refers to is not there');
  }

  /** Rows of an attempt whose own row is gone: nobody can tell of which sample they are. */
  #checkBeginnings(): void {
    for (const table of ['events', 'answers', 'outputs', 'results'] as const) {
      const orphans = this.#rows.select(
        `SELECT DISTINCT attempt FROM ${table} WHERE attempt NOT IN (SELECT n FROM attempts)`,
      );
      for (const { attempt } of orphans) this.#lacks(Number(attempt), 'its beginning is not there');
    }
  }

  #checkMark(mark: Acknowledged, counts: ReadonlyMap<Table, number>): void {
    const lacking = (table: Table) => Math.max(0, mark.rows[table] - (counts.get(table) ?? 0));
    if (TABLES.every((table) => lacking(table) === 0)) return;
    this.#isSound = false;
    const usd = Math.max(0, mark.usd - this.#spentUsd());
    const lost = { answers: lacking('answers'), results: lacking('results'), usd: round(usd) };
    this.#notes.lost = lost;
    const tables = TABLES.filter((table) => lacking(table) > 0);
    const what = tables.map((table) => `${lacking(table)} of ${mark.rows[table]} ${table}`).join(', ');
    this.#notes.say(
      `${this.#rows.path} holds less than was acknowledged: ${what} cannot be read, for which $${lost.usd} were paid.`,
    );
  }

  #spentUsd(): number {
    return this.#rows.number(
      "SELECT total(json_extract(data, '$.costUsd')) FROM answers WHERE json_valid(data, 2)",
    );
  }

  #isThere(hash: string): boolean {
    return this.#rows.select('SELECT 1 FROM contents WHERE hash = ?', hash).length > 0;
  }

  #lacks(attempt: number, why: string): void {
    this.#isSound = false;
    this.#notes.attempt(attempt, why);
  }
}

/** Sums of prices differ in their last digits. */
function round(usd: number): number {
  return Math.round(usd * 1e9) / 1e9;
}
