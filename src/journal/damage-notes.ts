import type { Row } from './journal-rows.ts';
import type { JournalDamage, LostRows } from './records.ts';
import type { Table } from './schema.ts';

/** Collects what is found to be damaged, each thing once. */
export class DamageNotes {
  readonly #path: string;
  readonly #sentences = new Set<string>();
  readonly #attempts = new Map<number, string>();
  readonly #rows: { readonly table: Table; readonly row: Row }[] = [];
  lost: LostRows | undefined;
  /** True when SQLite's own check of its pages found something: rows then tell only what follows from it. */
  hasBrokenPages = false;

  constructor(path: string) {
    this.#path = path;
  }

  say(sentence: string): void {
    this.#sentences.add(sentence);
  }

  /** An attempt lacks something: it is not completed any more [JRN-10]. The first reason is said: others follow from it. */
  attempt(n: number, why: string): void {
    if (this.#attempts.has(n)) return;
    this.#attempts.set(n, why);
    this.say(`Attempt ${n} in ${this.#path} is damaged: ${why}.`);
  }

  /** A row that is not whole. */
  row(table: Table, row: Row): void {
    this.#rows.push({ table, row: { n: row.n ?? null, attempt: row.attempt ?? null } });
    const attempt = table === 'attempts' ? row.n : row.attempt;
    const why = faultOfRow(table, row);
    if (typeof attempt === 'number') this.attempt(attempt, why);
    else this.say(`${this.#path} is damaged: ${why}.`);
  }

  /** The rows that are not whole. */
  get rows(): readonly { readonly table: Table; readonly row: Row }[] {
    return this.#rows;
  }

  get isEmpty(): boolean {
    return this.#sentences.size === 0;
  }

  isDamaged(n: number): boolean {
    return this.#attempts.has(n);
  }

  take(): JournalDamage {
    return {
      sentences: [...this.#sentences],
      attempts: new Map(this.#attempts),
      ...(this.lost ? { lost: this.lost } : {}),
    };
  }
}

/** What is wrong with a row that is not whole. Those of version 1 have no checksum. */
export function faultOfRow(table: Table, row: Row): string {
  return `row ${row.n} of ${table} ${row.sum === null ? 'cannot be read' : 'has a wrong checksum'}`;
}
