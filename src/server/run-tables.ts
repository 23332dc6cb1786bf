import { ActionableError, type RunId } from '../base/index.ts';
import { type RunTable, readRunTable, SharedTexts } from '../compare/index.ts';
import type { EvalSampleSummary, Positioned, RunReader } from '../log/index.ts';
import type { RunItem } from './api.ts';
import { Breath } from './breath.ts';
import { versionOf } from './run-version.ts';
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
  /** Undefined when nobody knows the run. */
  readonly found: FoundRun | undefined;
  readonly item: RunItem;
  readonly table?: undefined;
  readonly error: ActionableError;
  readonly version: undefined;
}

/** So many samples at epochs are kept over all runs: a hundred to three hundred bytes each. */
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
  readonly #texts = new SharedTexts();
  #rows = 0;

  constructor(studio: Studio) {
    this.#studio = studio;
  }

  /** In the order of the names. A run that is damaged, or that nobody knows, is given as such. */
  async read(runs: readonly string[], signal: AbortSignal): Promise<readonly ReadRun[]> {
    const read: ReadRun[] = [];
    for (let from = 0; from < runs.length; from += AT_A_TIME) {
      signal.throwIfAborted();
      const some = runs.slice(from, from + AT_A_TIME);
      read.push(...(await Promise.all(some.map((run) => this.#readOrMiss(run)))));
    }
    return read;
  }

  /** A name among several that is of no run must not hide the others. */
  async #readOrMiss(run: string): Promise<ReadRun> {
    try {
      return await this.readOne(run);
    } catch (error) {
      if (!(error instanceof ActionableError)) throw error;
      const item: RunItem = { run, form: 'unknown', place: '', name: run, damage: error.message };
      return { found: undefined, item, error, version: undefined };
    }
  }

  async readOne(run: string): Promise<ReadRun & { readonly found: FoundRun }> {
    const found = await this.#studio.index.find(run);
    try {
      const version = versionOfFound(found);
      const known = version === undefined ? undefined : this.#known(version);
      return known ? { found, item: found.item, table: known, version } : await this.#open(found.run);
    } catch (error) {
      if (!(error instanceof ActionableError)) throw error;
      return { found, item: found.item, error, version: undefined };
    }
  }

  async #open(run: RunId): Promise<WholeRun> {
    await using open = await this.#studio.open(run);
    const { reader, found } = open;
    const version = open.version === undefined ? undefined : versionOfFound(found);
    // One of those who wait going away must not take it from the others.
    const breath = new Breath(this.#studio.clock, NEVER);
    const read = () => readRunTable(breathing(reader, breath), found.run, this.#texts);
    const table = version === undefined ? await read() : await this.#once(version, read);
    return { found, item: found.item, table, version };
  }

  #known(version: string): RunTable | undefined {
    const known = this.#tables.get(version);
    if (!known) return undefined;
    this.#tables.delete(version);
    this.#tables.set(version, known);
    return known;
  }

  async #once(key: string, read: () => Promise<RunTable>): Promise<RunTable> {
    const known = this.#known(key);
    if (known) return known;
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

const NEVER = new AbortController().signal;
const ROWS_A_BREATH = 64;

/** The same reader, which lets others in while it is read. */
function breathing(reader: RunReader, breath: Breath): Pick<RunReader, 'place' | 'header' | 'summaries'> {
  async function* summaries(): AsyncGenerator<Positioned<EvalSampleSummary>> {
    let count = 0;
    for await (const summary of reader.summaries()) {
      if (++count % ROWS_A_BREATH === 0) await breath.take();
      yield summary;
    }
  }
  return { place: reader.place, header: () => reader.header(), summaries };
}

/** Of one whose row cannot be read nothing is kept. */
function versionOfFound({ run, inForms: { forms, place, name, row } }: FoundRun): string | undefined {
  const [form = 'unknown'] = forms;
  return row && versionOf({ run, form, place, name, row });
}

/** One for each Studio, for as long as it is there. */
const tables = new WeakMap<Studio, RunTables>();

export function tablesOf(studio: Studio): RunTables {
  const known = tables.get(studio) ?? new RunTables(studio);
  tables.set(studio, known);
  return known;
}
