import { ActionableError, type RunId } from '../base/index.ts';
import { type RunTable, readRunTable } from '../compare/index.ts';
import type { RunItem } from './api.ts';
import type { FoundRun, Studio } from './studio.ts';

/** A run with its samples, or why they cannot be read. */
export type ReadRun = WholeRun | BrokenRun;

export interface WholeRun {
  readonly found: FoundRun;
  readonly item: RunItem;
  readonly table: RunTable;
  readonly error?: undefined;
  /** Undefined while it is under way. */
  readonly version: string | undefined;
}

export interface BrokenRun {
  readonly found: FoundRun;
  readonly item: RunItem;
  readonly table?: undefined;
  readonly error: ActionableError;
  readonly version: undefined;
}

/** So many samples at epochs are kept over all runs: some 200 bytes each. */
const ROWS_MAX = 250_000;
const AT_A_TIME = 4;

/**
 * The samples of runs, each run read once as long as it stays what it is: comparison, matrix, history and review ask for the same ones. What
 * was used longest ago is forgotten first. A run that is under way is read each time.
 */
export class RunTables {
  readonly #studio: Studio;
  /** In the order of use. */
  readonly #tables = new Map<string, RunTable>();
  readonly #underWay = new Map<string, Promise<RunTable>>();
  #rows = 0;

  constructor(studio: Studio) {
    this.#studio = studio;
  }

  /** In the order of the names. A run that is damaged is given as such; one that nobody knows is an error. */
  async read(runs: readonly string[], signal: AbortSignal): Promise<readonly ReadRun[]> {
    const read: ReadRun[] = [];
    for (let from = 0; from < runs.length; from += AT_A_TIME) {
      signal.throwIfAborted();
      const some = runs.slice(from, from + AT_A_TIME);
      read.push(...(await Promise.all(some.map((run) => this.readOne(run)))));
    }
    return read;
  }

  async readOne(run: string): Promise<ReadRun> {
    try {
      return await this.#open(run);
    } catch (error) {
      if (!(error instanceof ActionableError)) throw error;
      // One that nobody knows is refused here.
      const found = await this.#studio.index.find(run);
      return { found, item: found.item, error, version: undefined };
    }
  }

  async #open(run: string): Promise<WholeRun> {
    await using open = await this.#studio.open(run);
    const { version, reader, found } = open;
    const read = () => readRunTable(reader, found.run);
    const table = version === undefined ? await read() : await this.#once(keyOf(found.run, version), read);
    return { found, item: found.item, table, version };
  }

  async #once(key: string, read: () => Promise<RunTable>): Promise<RunTable> {
    const known = this.#tables.get(key);
    if (known) {
      this.#tables.delete(key);
      this.#tables.set(key, known);
      return known;
    }
    const reading = this.#underWay.get(key) ?? read();
    this.#underWay.set(key, reading);
    try {
      const table = await reading;
      if (this.#underWay.get(key) === reading) this.#keep(key, table);
      return table;
    } finally {
      this.#underWay.delete(key);
    }
  }

  #keep(key: string, table: RunTable): void {
    if (this.#tables.has(key)) return;
    this.#tables.set(key, table);
    this.#rows += table.ids.length;
    for (const [oldest, { ids }] of this.#tables) {
      if (this.#rows <= ROWS_MAX || oldest === key) break;
      this.#tables.delete(oldest);
      this.#rows -= ids.length;
    }
  }
}

function keyOf(run: RunId, version: string): string {
  return `${run} ${version}`;
}

/** One for each Studio, for as long as it is there. */
const tables = new WeakMap<Studio, RunTables>();

export function tablesOf(studio: Studio): RunTables {
  const known = tables.get(studio) ?? new RunTables(studio);
  tables.set(studio, known);
  return known;
}
