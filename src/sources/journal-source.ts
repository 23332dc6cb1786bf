import { ActionableError, type Clock, inOrder, isoTime, type RunId, sampleKeyText } from '../base/index.ts';
import type { Disk } from '../disk/index.ts';
import {
  type FoundRun,
  findRunIn,
  lastSignMs,
  lookAtRun,
  type RunJournals,
  readRunFromJournals,
  runIdsIn,
  type StateDir,
  type UnreadableRun,
} from '../journal/index.ts';
import { type LogStore, readRunFromLog } from '../log/index.ts';
import { rowOf } from '../results/index.ts';
import { findNamed } from './find-run.ts';
import {
  byIdDescending,
  isWithin,
  type RunForm,
  type RunSource,
  type RunsOptions,
  type SourceRun,
} from './run-source.ts';
import type { SourceRow } from './source-row.ts';

export interface JournalSourceOptions {
  readonly disk: Disk;
  readonly clock: Clock;
  readonly state: StateDir;
  /** Where logs are that lend samples to a run. */
  readonly logs: LogStore;
}

/** Few: each opens the databases of a run. */
const RUNS_AT_A_TIME = 4;

/** The runs of a state directory that have not ended in a log. Nothing is locked, and nobody who works on one is hindered. */
export function journalSource(options: JournalSourceOptions): RunSource {
  return new JournalSource(options);
}

class JournalSource implements RunSource {
  readonly place: string;
  readonly kind = 'journals';
  readonly #options: JournalSourceOptions;

  constructor(options: JournalSourceOptions) {
    this.#options = options;
    this.place = options.state.path;
  }

  async *runs(options: RunsOptions = {}): AsyncGenerator<SourceRun> {
    const { disk } = this.#options;
    const wanted = (await runIdsIn(disk, this.place)).filter((run) => isWithin(run, options)).toReversed();
    const looked = inOrder(wanted, { atATime: RUNS_AT_A_TIME, work: (run) => this.#look(run) });
    for await (const run of looked) {
      options.signal?.throwIfAborted();
      if (run) yield run;
    }
  }

  async find(given: string): Promise<SourceRun | undefined> {
    const ids = await runIdsIn(this.#options.disk, this.place);
    const found = findNamed(ids.map((run) => ({ run, name: run })).toSorted(byIdDescending), given);
    return found && this.#look(found.run);
  }

  async glance(): Promise<string> {
    return (await runIdsIn(this.#options.disk, this.place)).join(' ');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // Nothing is kept open.
  }

  /** Undefined when it ended in a log meanwhile, or holds nothing at all. */
  async #look(run: RunId): Promise<SourceRun | undefined> {
    const { disk, state } = this.#options;
    const { run: found, unread } = await findRunIn(disk, state.runDir(run));
    if (!found) return this.#unreadable(run, unread);
    const kept = this.#kept(run, FORMS[found.liveness]);
    try {
      const journals = await lookAtRun({ disk, runDir: found.dir });
      if (!journals) return undefined;
      try {
        const endMs = await lastSignOf(disk, journals);
        return { ...kept, row: rowOfJournals(run, { found, endMs }, journals) };
      } finally {
        journals.close();
      }
    } catch (error) {
      if (!(error instanceof ActionableError)) throw error;
      return { ...kept, damage: error.message };
    }
  }

  #unreadable(run: RunId, unread: readonly UnreadableRun[]): SourceRun | undefined {
    // One that names no run is what a process left that died at once: it holds nothing.
    const [first] = unread.filter(({ code }) => code !== 'E_JOURNAL_EMPTY');
    return first && { ...this.#kept(run, 'unknown'), damage: first.reason };
  }

  #kept(run: RunId, form: RunForm) {
    const { disk, clock, state, logs } = this.#options;
    const openLender = async (name: string) => {
      const log = await logs.open(name);
      return log && readRunFromLog(log);
    };
    return {
      run,
      form,
      place: this.place,
      name: run,
      open: async () => readRunFromJournals({ disk, clock, runDir: state.runDir(run), openLender }),
    };
  }
}

const FORMS: Readonly<Record<FoundRun['liveness'], RunForm>> = {
  alive: 'running',
  dead: 'interrupted',
  unknown: 'unknown',
};

/** When it last did anything: beats are far apart, but each commit leaves a mark. */
async function lastSignOf(disk: Disk, { readers }: RunJournals): Promise<number | undefined> {
  const signs = await Promise.all(readers.map((reader) => lastSignMs(disk, reader)));
  const known = signs.filter((ms) => ms !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
}

interface Looked {
  readonly found: FoundRun;
  readonly endMs: number | undefined;
}

function rowOfJournals(run: RunId, { found, endMs }: Looked, journals: RunJournals): SourceRow {
  const { start, created, planned, identity } = found.run;
  const { completed, errored } = countAttempts(journals);
  const end = endMs === undefined ? created : isoTime(endMs);
  const { tokens: _, ...row } = rowOf(
    {
      ...start,
      status: 'started',
      stats: {
        started_at: created,
        completed_at: end,
        model_usage: {},
        role_usage: {},
        connection_limit_history: [],
      },
      invalidated: false,
      tags: [...(start.eval.tags ?? [])],
      metadata: {},
    },
    { samples: planned, completed, errored, intervalOf: () => undefined },
  );
  const usd = journals.spentUsd();
  // What no price is known for counts nothing: nothing is not said to be free.
  return { ...row, run, eval: identity.eval, status: FORMS[found.liveness], usd: usd > 0 ? usd : null };
}

function countAttempts(journals: RunJournals): { readonly completed: number; readonly errored: number } {
  const completed = new Set<string>();
  const errored = new Set<string>();
  for (const { id, epoch, status } of journals.outline()) {
    if (status === 'completed') completed.add(sampleKeyText(id, epoch));
    else if (status === 'errored') errored.add(sampleKeyText(id, epoch));
  }
  for (const { id, epoch } of journals.reused()) completed.add(sampleKeyText(id, epoch));
  return { completed: completed.size, errored: [...errored].filter((key) => !completed.has(key)).length };
}
