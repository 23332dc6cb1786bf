import type { Clock } from '../base/index.ts';
import { type LogReader, type RunReader, readRunFromLog } from '../log/index.ts';
import { findInAll, type RunSource, type SourceRun } from '../sources/index.ts';
import { versionOf } from './run-version.ts';
import type { OpenRun, RunIndex } from './studio.ts';

/** So many runs stay open, and so long: a page asks for the same one again and again. */
const OPEN_MAX = 8;
const IDLE_MS = 20_000;
/** How old the knowledge of where a run is kept may be: one under way becomes a log at any moment. */
const FOUND_MS = 1_000;

interface Opened {
  readonly shown: SourceRun;
  readonly reader: RunReader;
  readonly log: LogReader | undefined;
  readonly version: string | undefined;
  users: number;
  lastUseMs: number;
  isDropped: boolean;
}

export interface OpenRunsOptions {
  readonly sources: readonly RunSource[];
  readonly index: RunIndex;
  readonly clock: Clock;
}

/** The runs that are being looked at. Several requests share one reader; it is closed when nobody has used it for a while. */
export class OpenRuns implements AsyncDisposable {
  readonly #options: OpenRunsOptions;
  readonly #opened = new Map<string, Promise<Opened>>();
  readonly #found = new Map<string, { readonly atMs: number; readonly run: Promise<SourceRun> }>();
  readonly #sweep: Disposable;

  constructor(options: OpenRunsOptions) {
    this.#options = options;
    this.#sweep = options.clock.every(IDLE_MS / 4, () => void this.#closeIdle());
  }

  async open(given: string): Promise<OpenRun> {
    const shown = await this.#find(given);
    const key = `${shown.place}\n${shown.name}\n${versionOf(shown) ?? 'live'}`;
    const opening = this.#opened.get(key) ?? this.#openAs(key, shown);
    const opened = await opening;
    opened.users++;
    opened.lastUseMs = this.#options.clock.monotonicMs();
    const found = await this.#options.index.find(shown.run);
    let isClosed = false;
    return {
      found,
      reader: opened.reader,
      log: opened.log,
      version: opened.version,
      [Symbol.asyncDispose]: async () => {
        if (isClosed) return;
        isClosed = true;
        opened.users--;
        if (opened.isDropped && opened.users === 0) await opened.reader.close();
      },
    };
  }

  /** For whoever reads on and on: not shared with anybody. Whoever opens closes. */
  async openApart(given: string): Promise<RunReader> {
    return (await this.#find(given)).open();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#sweep[Symbol.dispose]();
    await Promise.all([...this.#opened.keys()].map((key) => this.#drop(key)));
  }

  async #find(given: string): Promise<SourceRun> {
    const { clock, sources } = this.#options;
    const known = this.#found.get(given);
    if (known && clock.monotonicMs() - known.atMs < FOUND_MS) return await known.run;
    const run = findInAll(sources, given, { maxAgeMs: FOUND_MS }).then(({ shown }) => shown);
    this.#found.set(given, { atMs: clock.monotonicMs(), run });
    if (this.#found.size > 200) this.#found.delete([...this.#found.keys()][0] ?? '');
    try {
      return await run;
    } catch (error) {
      this.#found.delete(given);
      throw error;
    }
  }

  #openAs(key: string, shown: SourceRun): Promise<Opened> {
    const opening = openShown(shown);
    this.#opened.set(key, opening);
    // Whoever asked is told; the next one tries again.
    opening.catch(() => this.#opened.delete(key));
    const others = [...this.#opened.keys()].filter((other) => other !== key);
    for (const other of others.slice(0, Math.max(0, others.length - OPEN_MAX + 1))) void this.#drop(other);
    return opening;
  }

  async #closeIdle(): Promise<void> {
    const { clock } = this.#options;
    for (const [key, opening] of this.#opened) {
      const opened = await opening.catch(() => undefined);
      if (opened && opened.users === 0 && clock.monotonicMs() - opened.lastUseMs > IDLE_MS)
        await this.#drop(key);
    }
  }

  /** What is still used is closed by its last user. */
  async #drop(key: string): Promise<void> {
    const opened = await this.#opened.get(key)?.catch(() => undefined);
    this.#opened.delete(key);
    if (!opened || opened.isDropped) return;
    opened.isDropped = true;
    if (opened.users === 0) await opened.reader.close();
  }
}

async function openShown(shown: SourceRun): Promise<Opened> {
  const log = shown.openLog ? await shown.openLog() : undefined;
  const reader = log ? readRunFromLog(log) : await shown.open();
  return { shown, reader, log, version: versionOf(shown), users: 0, lastUseMs: 0, isDropped: false };
}
