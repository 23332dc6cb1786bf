import type { DatabaseSync } from 'node:sqlite';
import type { RunRecord } from './records.ts';

/** A run whose samples have a process each has thousands of journals, and a process may have some hundred files open. */
const OPEN_MAX = 64;

/** A database that can be closed at any time, and opened again when it is asked for. */
export interface Reopened {
  open(): DatabaseSync;
}

/**
 * The databases of journals that never change, of which only so many are open at a time: one more closes the one that was not used for
 * longest. Nothing is held between two questions to a journal, so nobody notices but by the time that it takes.
 */
export class OpenDatabases {
  readonly #open = new Map<Reopened, DatabaseSync>();
  #run: { readonly json: string; readonly record: RunRecord | undefined } | undefined;

  /** True when there are more journals than can be open at a time. */
  static isCrowd(journals: number): boolean {
    return journals > OPEN_MAX;
  }

  /** The run record is one text in all journals of a run, and may name many thousand samples: it is parsed, and held, once. */
  runRecord(json: string, parse: (json: string) => RunRecord | undefined): RunRecord | undefined {
    if (this.#run?.json !== json) this.#run = { json, record: parse(json) };
    return this.#run.record;
  }

  /** Takes one that is open already. */
  add(of: Reopened, db: DatabaseSync): void {
    this.#open.set(of, db);
    this.#closeOldest();
  }

  /** To be used before anything else is asked for. */
  use(of: Reopened): DatabaseSync {
    const db = this.#open.get(of) ?? of.open();
    // The last in the map is the one that was used last.
    this.#open.delete(of);
    this.add(of, db);
    return db;
  }

  close(of: Reopened): void {
    this.#open.get(of)?.close();
    this.#open.delete(of);
  }

  #closeOldest(): void {
    if (this.#open.size <= OPEN_MAX) return;
    const [oldest] = this.#open.keys();
    if (oldest) this.close(oldest);
  }
}
