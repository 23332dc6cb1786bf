import { type Clock, definedOf, inOrder, type RunId, toJson } from '../base/index.ts';
import { openFrom, type ReadableLogs, readRunFromLog, type StoredLog } from '../log/index.ts';
import { findNamed } from './find-run.ts';
import { readLogRow } from './read-log-row.ts';
import type { RememberedLog, RememberedRow, RowMemory } from './row-memory.ts';
import { byIdDescending, isWithin, type RunSource, type RunsOptions, type SourceRun } from './run-source.ts';
import { readSourceRow, type SourceRow } from './source-row.ts';

export interface LogSourceOptions {
  readonly clock: Clock;
  readonly memory: RowMemory;
}

/** Headers are read so many at a time: a bucket answers slowly, a disk at once. */
const LOGS_AT_A_TIME = 24;

/**
 * A file that was changed right after it was looked at may have the same time as before, and the same size. So what was
 * that young when it was looked at is looked at again.
 */
const YOUNG_MS = 2_000;

/** The logs of a directory or a bucket, Inspect's too. Closing it closes the memory. */
export function logSource(logs: ReadableLogs, options: LogSourceOptions): RunSource {
  return new LogSource(logs, options);
}

/** A log as it was looked at: its row is in the memory, or here. */
interface SeenLog {
  readonly name: string;
  readonly run: RunId;
  readonly row?: SourceRow;
  readonly damage?: string;
}

class LogSource implements RunSource {
  readonly place: string;
  readonly kind = 'logs';
  readonly #logs: ReadableLogs;
  readonly #clock: Clock;
  readonly #memory: RowMemory;

  constructor(logs: ReadableLogs, { clock, memory }: LogSourceOptions) {
    this.#logs = logs;
    this.#clock = clock;
    this.#memory = memory;
    this.place = logs.place;
  }

  /** Only a header tells when a run began, so all are looked at before the first is given; the memory makes that once. */
  async *runs(options: RunsOptions = {}): AsyncGenerator<SourceRun> {
    const seen = await this.#look(options.signal);
    for (const group of newestFirst(seen.filter(({ run }) => isWithin(run, options)))) {
      const run = await this.#newestOf(group);
      if (run) yield run;
    }
  }

  async find(given: string): Promise<SourceRun | undefined> {
    const seen = await this.#look(undefined);
    const found = findNamed(newestFirst(seen).flat(), given);
    if (!found) return undefined;
    const isByName = found.name === given;
    return this.#newestOf(isByName ? [found] : seen.filter(({ run }) => run === found.run));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#memory[Symbol.dispose]();
  }

  async #look(signal: AbortSignal | undefined): Promise<readonly SeenLog[]> {
    const known = this.#memory.known();
    const seen: SeenLog[] = [];
    const unsure: StoredLog[] = [];
    const names = new Set<string>();
    for await (const stored of this.#logs.list(signal)) {
      names.add(stored.name);
      const remembered = known.get(stored.name);
      if (remembered && isSurelySame(remembered, stored)) seen.push(remembered);
      else unsure.push(stored);
    }
    seen.push(...(await this.#lookInto(unsure, known, signal)));
    this.#memory.forget([...known.keys()].filter((name) => !names.has(name)));
    return seen;
  }

  async #lookInto(
    unsure: readonly StoredLog[],
    known: ReadonlyMap<string, RememberedLog>,
    signal: AbortSignal | undefined,
  ): Promise<readonly SeenLog[]> {
    const seen: SeenLog[] = [];
    const same: RememberedLog[] = [];
    const read: RememberedRow[] = [];
    const work = async (stored: StoredLog) => {
      const seenMs = this.#clock.nowMs();
      const remembered = known.get(stored.name);
      return { stored, seenMs, remembered, look: await readLogRow(this.#logs, stored, remembered?.mark) };
    };
    for await (const { stored, seenMs, remembered, look } of inOrder(unsure, {
      atATime: LOGS_AT_A_TIME,
      work,
    })) {
      signal?.throwIfAborted();
      if (look?.kind === 'damage') seen.push({ name: stored.name, run: look.run, damage: look.damage });
      if (look?.kind === 'same' && remembered) {
        seen.push(remembered);
        same.push({ ...remembered, ...stored, seenMs });
      }
      if (look?.kind !== 'row') continue;
      const { run, mark, row } = look;
      seen.push({ name: stored.name, run, row });
      read.push({ ...stored, run, mark, seenMs, row: JSON.stringify(toJson(row)) });
    }
    this.#memory.touch(same);
    this.#memory.keep(read);
    return seen;
  }

  /** A run may have several logs: scored anew, or recovered. The one that ended last is shown, and the others are named. */
  async #newestOf(logs: readonly SeenLog[]): Promise<SourceRun | undefined> {
    let newest: SourceRun | undefined;
    const runs: SourceRun[] = [];
    for (const log of logs) {
      const run = await this.#asRun(log);
      if (run) runs.push(run);
      if (run && (!newest || isNewer(run, newest))) newest = run;
    }
    if (!newest || runs.length === 1) return newest;
    const others = runs.filter((run) => run !== newest);
    return { ...newest, copies: others.map(({ name, damage }) => ({ name, ...definedOf({ damage }) })) };
  }

  /** Undefined when it was removed meanwhile. */
  async #asRun({ name, run, row, damage }: SeenLog): Promise<SourceRun | undefined> {
    const openLog = () => openFrom(this.#logs, name);
    const kept = {
      run,
      form: 'log' as const,
      place: this.place,
      name,
      open: async () => readRunFromLog(await openLog()),
      openLog,
    };
    if (damage !== undefined) return { ...kept, damage };
    const text = row ? undefined : this.#memory.row({ name, run });
    const known = row ?? (text === undefined ? undefined : readSourceRow(text));
    if (known) return { ...kept, row: known };
    const stored = await this.#logs.stat(name);
    const look = stored && (await readLogRow(this.#logs, stored, undefined));
    if (!look || look.kind === 'same') return undefined;
    return look.kind === 'row' ? { ...kept, row: look.row } : { ...kept, damage: look.damage };
  }
}

function isSurelySame(remembered: RememberedLog, { sizeBytes, modifiedMs }: StoredLog): boolean {
  return (
    remembered.sizeBytes === sizeBytes &&
    remembered.modifiedMs === modifiedMs &&
    remembered.seenMs - modifiedMs > YOUNG_MS
  );
}

/** The logs of each run together. */
function newestFirst(seen: readonly SeenLog[]): readonly (readonly SeenLog[])[] {
  const groups = new Map<RunId, SeenLog[]>();
  for (const log of seen) {
    const group = groups.get(log.run);
    if (group) group.push(log);
    else groups.set(log.run, [log]);
  }
  return [...groups]
    .map(([run, logs]) => ({ run, logs }))
    .sort(byIdDescending)
    .map(({ logs }) => logs);
}

/** What can be read before what cannot; then by the end, and between equals by the name. */
function isNewer(one: SourceRun, other: SourceRun): boolean {
  if (!one.row || !other.row) return one.row !== undefined && other.row === undefined;
  if (one.row.end !== other.row.end) return Date.parse(one.row.end) > Date.parse(other.row.end);
  return one.name > other.name;
}
