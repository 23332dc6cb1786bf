import { type Clock, definedOf, inOrder, type RunId, toJson } from '../base/index.ts';
import { openFrom, type ReadableLogs, readRunFromLog, type StoredLog } from '../log/index.ts';
import { findNamed } from './find-run.ts';
import { readLogRow } from './read-log-row.ts';
import type { RememberedLog, RememberedRow, RowMemory } from './row-memory.ts';
import {
  byIdDescending,
  type FindOptions,
  isWithin,
  type RunSource,
  type RunsOptions,
  type SourceChanges,
  type SourceRun,
} from './run-source.ts';
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

/** One look at all logs. */
interface LogLooks {
  readonly seen: readonly SeenLog[];
  /** Those of them that were read because nobody remembered them as they are. */
  readonly read: readonly SeenLog[];
  /** What is to be remembered of all that can be. */
  readonly known: ReadonlyMap<string, RememberedLog>;
}

/** What was told of the logs at a position. */
interface ToldLogs {
  readonly position: number;
  readonly known: ReadonlyMap<string, RememberedLog>;
  /** By name; damage is never remembered, so it is found again at every look. */
  readonly damaged: ReadonlyMap<string, SeenLog>;
}

class LogSource implements RunSource {
  readonly place: string;
  readonly kind = 'logs';
  readonly #logs: ReadableLogs;
  readonly #clock: Clock;
  readonly #memory: RowMemory;
  #told: ToldLogs | undefined;
  #lastLook:
    | { readonly atMs: number; readonly groups: Promise<ReadonlyMap<RunId, readonly SeenLog[]>> }
    | undefined;

  constructor(logs: ReadableLogs, { clock, memory }: LogSourceOptions) {
    this.#logs = logs;
    this.#clock = clock;
    this.#memory = memory;
    this.place = logs.place;
  }

  /** Only a header tells when a run began, so all are looked at before the first is given; the memory makes that once. */
  async *runs(options: RunsOptions = {}): AsyncGenerator<SourceRun> {
    const { seen } = await this.#look(options.signal);
    yield* this.#runsOf(newestFirst(seen.filter(({ run }) => isWithin(run, options))));
  }

  async changes(since: string | undefined, signal?: AbortSignal): Promise<SourceChanges> {
    const told = since !== undefined && since === String(this.#told?.position) ? this.#told : undefined;
    const looks = await this.#look(signal, told?.known);
    const damaged = new Map(
      looks.seen.filter(({ damage }) => damage !== undefined).map((one) => [one.name, one]),
    );
    const touched = told && touchedRuns(told, looks);
    const before = this.#told?.position ?? 0;
    const position = touched?.size === 0 ? before : before + 1;
    this.#told = { position, known: looks.known, damaged };
    const groups = newestFirst(touched ? looks.seen.filter(({ run }) => touched.has(run)) : looks.seen);
    const there = new Set(groups.map(([first]) => first?.run));
    return {
      position: String(position),
      isAll: touched === undefined,
      runs: this.#runsOf(groups),
      gone: [...(touched ?? [])].filter((run) => !there.has(run)),
    };
  }

  async *#runsOf(groups: readonly (readonly SeenLog[])[]): AsyncGenerator<SourceRun> {
    for (const group of groups) {
      const run = await this.#newestOf(group);
      if (run) yield run;
    }
  }

  async find(given: string, { maxAgeMs = 0 }: FindOptions = {}): Promise<SourceRun | undefined> {
    const groups = await this.#groupsWithin(maxAgeMs);
    const exact = groups.get(given as RunId);
    if (exact) return this.#newestOf(exact);
    const found = findNamed([...groups.values()].flat(), given);
    if (!found) return undefined;
    const isByName = found.name === given;
    return this.#newestOf(isByName ? [found] : (groups.get(found.run) ?? []));
  }

  /** The logs of each run, newest first, as they were at the last look if that is not older. */
  async #groupsWithin(maxAgeMs: number): Promise<ReadonlyMap<RunId, readonly SeenLog[]>> {
    const last = this.#lastLook;
    if (last && this.#clock.monotonicMs() - last.atMs < maxAgeMs) return await last.groups;
    const atMs = this.#clock.monotonicMs();
    const groups = this.#look(undefined).then(
      ({ seen }) => new Map(newestFirst(seen).flatMap((group) => (group[0] ? [[group[0].run, group]] : []))),
    );
    this.#lastLook = { atMs, groups };
    try {
      return await groups;
    } catch (error) {
      this.#lastLook = undefined;
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#memory[Symbol.dispose]();
  }

  async #look(
    signal: AbortSignal | undefined,
    known: ReadonlyMap<string, RememberedLog> = this.#memory.known(),
  ): Promise<LogLooks> {
    const same: RememberedLog[] = [];
    const unsure: StoredLog[] = [];
    const names = new Set<string>();
    for await (const stored of this.#logs.list(signal)) {
      names.add(stored.name);
      const remembered = known.get(stored.name);
      if (remembered && isSurelySame(remembered, stored)) same.push(remembered);
      else unsure.push(stored);
    }
    const { read, touched, kept } = await this.#lookInto(unsure, known, signal);
    this.#memory.touch(touched);
    this.#memory.keep(kept);
    this.#memory.forget([...known.keys()].filter((name) => !names.has(name)));
    const remembered = [...same, ...touched, ...kept.map(({ row: _, ...log }) => log)];
    return {
      seen: [...same, ...touched, ...read],
      read,
      known: new Map(remembered.map((log) => [log.name, log])),
    };
  }

  async #lookInto(
    unsure: readonly StoredLog[],
    known: ReadonlyMap<string, RememberedLog>,
    signal: AbortSignal | undefined,
  ) {
    const read: SeenLog[] = [];
    const touched: RememberedLog[] = [];
    const kept: RememberedRow[] = [];
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
      if (look?.kind === 'damage') read.push({ name: stored.name, run: look.run, damage: look.damage });
      if (look?.kind === 'same' && remembered) touched.push({ ...remembered, ...stored, seenMs });
      if (look?.kind !== 'row') continue;
      const { run, mark, row } = look;
      read.push({ name: stored.name, run, row });
      kept.push({ ...stored, run, mark, seenMs, row: JSON.stringify(toJson(row)) });
    }
    return { read, touched, kept };
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

/** The runs of which a log came, went or is another than it was. */
function touchedRuns({ known, damaged }: ToldLogs, { seen, read }: LogLooks): ReadonlySet<RunId> {
  const touched = new Set<RunId>();
  const before = (name: string) => known.get(name) ?? damaged.get(name);
  for (const { name, run, damage } of read) {
    const was = damaged.get(name);
    if (was !== undefined && was.run === run && was.damage === damage) continue;
    touched.add(run);
    touched.add(before(name)?.run ?? run);
  }
  const names = new Set(seen.map(({ name }) => name));
  for (const { name, run } of [...known.values(), ...damaged.values()])
    if (!names.has(name)) touched.add(run);
  return touched;
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
