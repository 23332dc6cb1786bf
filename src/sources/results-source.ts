import { ActionableError, definedOf } from '../base/index.ts';
import { readRunFromLog } from '../log/index.ts';
import { type FoundResult, type ListedRun, listedSince, type ResultsStore } from '../results/index.ts';
import {
  isWithin,
  type RunSource,
  type RunsOptions,
  type SourceChanges,
  type SourceRun,
} from './run-source.ts';

/** A page of the store is read at once. */
const PAGE_RUNS = 64;

/** The runs that a results store keeps. Closing it closes the store. */
export function resultsSource(store: ResultsStore): RunSource {
  return new ResultsSource(store);
}

class ResultsSource implements RunSource {
  readonly place: string;
  readonly kind = 'results';
  readonly results: ResultsStore;

  constructor(store: ResultsStore) {
    this.results = store;
    this.place = `${store.dir}#${store.ref.replace(/^refs\/heads\//, '')}`;
  }

  /**
   * The first page is of one run: its cursor pins the state of the store, so that whoever goes on later goes on in the same. What
   * a run gives as `at` is the cursor that its page began with, which costs at most one page again.
   */
  async *runs(options: RunsOptions = {}): AsyncGenerator<SourceRun> {
    const { before, sinceMs, atATime = PAGE_RUNS, signal } = options;
    let cursor = options.at;
    do {
      signal?.throwIfAborted();
      const page = await this.results.list({
        // What is hidden here must hide other forms of the same run, too.
        withRemoved: true,
        limit: cursor === undefined ? 1 : Math.min(atATime, PAGE_RUNS),
        ...definedOf({ cursor, sinceMs }),
      });
      for (const listed of page.runs)
        if (isWithin(listed.run, { before })) yield this.#asRun(listed, cursor ?? page.cursor);
      cursor = page.cursor;
    } while (cursor !== undefined);
  }

  async changes(since: string | undefined): Promise<SourceChanges> {
    const { runs, ...changes } = await listedSince(this.results, since);
    return { ...changes, runs: this.#asRuns(runs) };
  }

  async at(commit: string): Promise<RunSource> {
    return new ResultsSource(await this.results.pinnedTo(commit));
  }

  async find(given: string): Promise<SourceRun | undefined> {
    try {
      const { revision, marks } = await this.results.find(given);
      const row = { ...revision.row, tags: [...marks.tags] };
      return this.#asRun({ run: revision.run, row, marks }, undefined);
    } catch (error) {
      if (error instanceof ActionableError && UNKNOWN.has(error.code)) return this.#findByLog(given);
      throw error;
    }
  }

  /** A published run is also known by the name of its log, which may be nowhere else. */
  async #findByLog(name: string): Promise<SourceRun | undefined> {
    const found = /\.(eval|json)$/.test(name) && !name.includes('/') && (await this.#findLog(name));
    if (!found) return undefined;
    const { revision, marks } = found;
    return this.#asRun(
      { run: revision.run, row: { ...revision.row, tags: [...marks.tags] }, marks },
      undefined,
    );
  }

  async #findLog(name: string): Promise<FoundResult | undefined> {
    try {
      return await this.results.findByLog(name);
    } catch (error) {
      if (error instanceof ActionableError && UNKNOWN.has(error.code)) return undefined;
      throw error;
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.results[Symbol.asyncDispose]();
  }

  async *#asRuns(listed: AsyncIterable<ListedRun>): AsyncGenerator<SourceRun> {
    for await (const one of listed) yield this.#asRun(one, undefined);
  }

  #asRun(listed: ListedRun, at: string | undefined): SourceRun {
    const openLog = async () => this.results.open(await this.results.find(listed.run));
    return {
      form: 'published',
      place: this.place,
      name: listed.run,
      ...definedOf({ at }),
      open: async () => readRunFromLog(await openLog()),
      openLog,
      ...listed,
    };
  }
}

/** What is no id at all may still be the name of something in another source. */
const UNKNOWN: ReadonlySet<string> = new Set(['E_RUN_UNKNOWN', 'E_RUN_ID', 'E_RESULTS_NOT_BEGUN']);
