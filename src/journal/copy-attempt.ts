import { exactJson, isJsonObject } from '../base/index.ts';
import type { JournalReader } from './journal-reader.ts';
import { COLUMNS } from './journal-rows.ts';
import { hashesIn } from './long-texts.ts';
import { type RowInserter, toValue } from './row-inserter.ts';
import type { Table } from './schema.ts';
import { idText, tryParse } from './stored-documents.ts';

/**
 * Copies one attempt from another journal, of whatever version, with everything it refers to and with its origin [JRN-14].
 * Contents are shared by hash, so what is here already is not copied again. Of a damaged attempt what is whole is copied,
 * without a result: it is not completed [JRN-10]. False when there is no such attempt.
 */
export function copyAttempt(source: JournalReader, n: number, into: CopyTarget): boolean {
  const attempt = source.attempt(n);
  if (!attempt) return false;
  new AttemptCopy(source, n, into).copy(attempt.id, attempt.origin);
  return true;
}

export interface CopyTarget {
  readonly rows: RowInserter;
  readonly n: number;
  /** The run that is copied into: what comes from another journal of it is marked there already. */
  readonly runId: string;
}

class AttemptCopy {
  readonly #source: JournalReader;
  readonly #from: number;
  readonly #into: RowInserter;
  readonly #n: number;
  readonly #runId: string;
  readonly #known = new Set<string>();
  #isOfRun = false;

  constructor(source: JournalReader, from: number, { rows, n, runId }: CopyTarget) {
    this.#source = source;
    this.#from = from;
    this.#into = rows;
    this.#n = n;
    this.#runId = runId;
  }

  copy(id: string | number, origin: string): void {
    this.#isOfRun = origin.startsWith(`${this.#runId}/`);
    this.#copyStart(id, origin);
    const links = this.#copyRows('links');
    const events = this.#copyRows('events');
    const answers = this.#copyRows('answers');
    this.#copyRows('outputs');
    const row =
      this.#source.result(this.#from) && this.#source.rows.one('results', 'attempt = ?', this.#from);
    if (!row) return;
    this.#copyContents(row.data);
    const values = COLUMNS.results.map((name) =>
      toValue({ ...row, attempt: this.#n, events, links, answers }[name]),
    );
    this.#into.insert('results', values);
  }

  #copyStart(id: string | number, origin: string): void {
    const row = this.#source.rows.one('attempts', 'n = ?', this.#from);
    if (!row) return;
    this.#copyContents(row.data);
    const data = tryParse(String(row.data));
    // Version 1 said in the column that an id is a number; now the document does, before all else.
    const json = isJsonObject(data) && typeof id === 'number' ? exactJson({ id, ...data }) : String(row.data);
    const values = [idText(id), Number(row.epoch), String(row.key), origin, json];
    this.#into.insert('attempts', values, { n: this.#n });
  }

  /** Gives how many there were. */
  #copyRows(table: Table): number {
    let count = 0;
    for (const row of this.#source.rows.many(table, { where: 'attempt = ?', values: [this.#from] })) {
      if (table === 'links') this.#copyContent(row.hash);
      else if (table !== 'events') this.#copyContents(row.data);
      const values = COLUMNS[table].map((name) => (name === 'attempt' ? this.#n : toValue(row[name])));
      this.#into.insert(
        table,
        values,
        table === 'answers' ? { usd: costOf(row.data), isCopy: this.#isOfRun } : {},
      );
      count++;
    }
    return count;
  }

  /** What a document names inside its JSON. */
  #copyContents(json: unknown): void {
    if (typeof json === 'string') for (const hash of hashesIn(json)) this.#copyContent(hash);
  }

  #copyContent(hash: unknown): void {
    if (typeof hash !== 'string' || this.#known.has(hash)) return;
    this.#known.add(hash);
    const row = this.#source.rows.one('contents', 'hash = ?', hash);
    if (row) this.#into.insert('contents', [hash, toValue(row.text)]);
  }
}

function costOf(json: unknown): number {
  const value = typeof json === 'string' ? tryParse(json) : undefined;
  const isBought = isJsonObject(value) && value.from === undefined;
  return isBought && typeof value.costUsd === 'number' ? value.costUsd : 0;
}
