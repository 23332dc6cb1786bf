import { formatUsd } from '../base/index.ts';
import type { Acknowledged } from './acknowledged.ts';
import { type DamageNotes, faultOfRow } from './damage-notes.ts';
import { explained } from './database.ts';
import type { JournalRows, Row } from './journal-rows.ts';
import type { KnownBeside } from './known-beside.ts';
import { hashesIn } from './long-texts.ts';
import { TABLES, type Table } from './schema.ts';

/**
 * One pass over every row of a journal that nobody writes: checksums [JRN-9], the rows that results promise [JRN-10], the
 * texts that documents name, and what was acknowledged [JRN-11]. Everything that is wrong goes into `notes`. Gives the first
 * reason, or undefined when nothing is wrong.
 */
export function checkJournal(
  rows: JournalRows,
  notes: DamageNotes,
  known: Pick<KnownBeside, 'mark' | 'records' | 'isImported'>,
): string | undefined {
  // One snapshot for all of it: whoever is thought to be dead may still be writing.
  return explained(rows.path, () => {
    rows.db.exec('BEGIN');
    try {
      return new Check(rows, notes).run(known);
    } finally {
      if (rows.db.isTransaction) rows.db.exec('ROLLBACK');
    }
  });
}

/** What a table holds, where its name does not say it. */
const WORDS: Readonly<Partial<Record<Table, string>>> = { meta: 'records' };

class Check {
  readonly #rows: JournalRows;
  readonly #notes: DamageNotes;
  /** Answers that are there, but not all of their texts: they cannot be given. */
  readonly #brokenAnswers: number[] = [];
  #fault: string | undefined;

  constructor(rows: JournalRows, notes: DamageNotes) {
    this.#rows = rows;
    this.#notes = notes;
    rows.onDamage = (table, row) => {
      this.#fault ??= faultOfRow(table, row);
      notes.row(table, row);
    };
  }

  run({
    mark,
    records,
    isImported,
  }: Pick<KnownBeside, 'mark' | 'records' | 'isImported'>): string | undefined {
    this.#checkPages();
    const counts = new Map<Table, number>();
    for (const table of TABLES) counts.set(table, this.#checkTable(table));
    this.#checkResults();
    this.#checkLinks();
    this.#checkBeginnings();
    const isBegun =
      records !== undefined || TABLES.some((table) => table !== 'meta' && counts.get(table) !== 0);
    if (mark) this.#checkMark(mark, counts);
    else if (isBegun && !isImported) this.#missMark();
    return this.#fault;
  }

  #checkPages(): void {
    const [row] = this.#rows.select('PRAGMA integrity_check(1)');
    const found = String(row?.integrity_check);
    if (found === 'ok') return;
    this.#fault ??= found.replaceAll('\n', ' ');
    this.#notes.hasBrokenPages = true;
    this.#notes.say(`${this.#rows.path} is damaged (${this.#fault}).`);
  }

  /** Gives how many rows are whole, with all that they refer to. */
  #checkTable(table: Table): number {
    let count = 0;
    for (const row of this.#rows.many(table)) {
      if (this.#hasItsTexts(table, row)) count++;
      else if (table === 'answers') this.#brokenAnswers.push(Number(row.n));
    }
    return count;
  }

  #hasItsTexts(table: Table, row: Row): boolean {
    const attempt = table === 'attempts' ? row.n : row.attempt;
    if (typeof row.data !== 'string' || typeof attempt !== 'number') return true;
    let hasAll = true;
    for (const hash of hashesIn(row.data)) {
      if (this.#isThere(hash)) continue;
      hasAll = false;
      this.#lacks(attempt, `a text that it refers to (${hash}) is not there`);
    }
    return hasAll;
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

  /** Every journal has one before anything is paid for, but for those of version 1. */
  #missMark(): void {
    if (this.#rows.version === 1) return;
    this.#notes.say(
      `${this.#rows.path} has no mark of what was acknowledged: whether something is missing cannot be told.`,
    );
  }

  #checkMark(mark: Acknowledged, counts: ReadonlyMap<Table, number>): void {
    const lacking = (table: Table) => Math.max(0, mark.rows[table] - (counts.get(table) ?? 0));
    if (TABLES.every((table) => lacking(table) === 0)) return;
    this.#fault ??= 'it holds less than was acknowledged';
    const copies = this.#lostCopies(mark);
    const usd = Math.max(0, mark.usd - this.#spentUsd() - copies.usd);
    const answers = Math.max(0, lacking('answers') - copies.answers);
    const lost = { answers, results: lacking('results'), usd: round(usd) };
    this.#notes.lost = lost;
    // The records are told apart: they are kept beside the journal, too, and cost nothing.
    const tables = TABLES.filter((table) => table !== 'meta' && lacking(table) > 0);
    if (tables.length === 0) {
      this.#notes.say(`${this.#rows.path} has lost its own records.`);
      return;
    }
    const what = tables.map((table) => `${lacking(table)} of ${mark.rows[table]} ${WORDS[table] ?? table}`);
    const price = lost.usd > 0 ? `, for which ${formatUsd(lost.usd)} had been paid` : '';
    this.#notes.say(
      `${this.#rows.path} holds less than was acknowledged: ${what.join(', ')} cannot be read${price}.`,
    );
  }

  /** Answers that were copied from other journals of the run, and are not here any more: they are there, or lost there. */
  #lostCopies({ copied, writer = '' }: Acknowledged): { readonly answers: number; readonly usd: number } {
    if (!copied) return { answers: 0, usd: 0 };
    const own = `/${writer}/`;
    const answers = this.#rows.number(`SELECT count(*) FROM answers WHERE ${OF_COPIES}`, own);
    const usd = this.#rows.spentUsd(OF_COPIES, own);
    return { answers: Math.max(0, copied.answers - answers), usd: Math.max(0, copied.usd - usd) };
  }

  #spentUsd(): number {
    const broken = this.#brokenAnswers.map((n) => this.#rows.spentUsd('n = ?', n));
    return broken.reduce((usd, cost) => usd - cost, this.#rows.spentUsd());
  }

  #isThere(hash: string): boolean {
    return this.#rows.select('SELECT 1 FROM contents WHERE hash = ?', hash).length > 0;
  }

  #lacks(attempt: number, why: string): void {
    this.#fault ??= `attempt ${attempt} lacks something: ${why}`;
    this.#notes.attempt(attempt, why);
  }
}

const OF_COPIES = 'attempt IN (SELECT n FROM attempts WHERE instr(origin, ?) = 0)';

/** Sums of prices differ in their last digits. */
function round(usd: number): number {
  return Math.round(usd * 1e9) / 1e9;
}
