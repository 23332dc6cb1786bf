import {
  DamageError,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  jsonText,
  sampleKeyText,
} from '../base/index.ts';
import { type RunTable, readRunTable } from '../compare/index.ts';
import {
  addUsage,
  type EvalSampleSummary,
  type LogHeader,
  type ModelUsage,
  type Positioned,
  type RunReader,
  readRunFromLog,
  repairedLog,
} from '../log/index.ts';
import type { AnyJson, Problem } from './api.ts';
import { Breath } from './breath.ts';
import { Cuts } from './spool/cuts.ts';
import { oneLine } from './spool/event-label.ts';
import type { OpenRun, Studio } from './studio.ts';

/** The samples of a run, as its list tells them: what they have in common with others, and what only their own run shows. */
export interface SampleRows {
  readonly header: LogHeader;
  readonly table: RunTable;
  /** By the place of the sample in the table. */
  readonly more: readonly RowMore[];
  /** Over all samples, by model. */
  readonly usage: ReadonlyMap<string, ModelUsage>;
  readonly problems: readonly Problem[];
}

export interface RowMore {
  readonly target: string;
  readonly metadata: Readonly<Record<string, AnyJson>>;
  /** By scorer, one line. */
  readonly answers: Readonly<Record<string, string>>;
  readonly limit: string | undefined;
  readonly retries: number | undefined;
  readonly messages: number | undefined;
  readonly made: string | undefined;
  readonly startMs: number;
  readonly endMs: number;
  readonly uuid: string | undefined;
}

const LINE_UNITS = 200;
const METADATA_KEYS_MAX = 40;
/** So many samples at epochs are kept over all runs: about half a kilobyte each. */
const ROWS_MAX = 120_000;
/** A run under way is read again, but not for each of the questions that a page asks at once. */
const LIVE_MS = 700;
const ROWS_A_BREATH = 64;

/** The samples of runs, each list read once as long as the run stays what it is. */
class RowMemory {
  readonly #studio: Studio;
  /** In order of use. */
  readonly #kept = new Map<
    string,
    { readonly rows: SampleRows; readonly atMs: number; readonly isLive: boolean }
  >();
  readonly #reading = new Map<string, Promise<SampleRows>>();

  constructor(studio: Studio) {
    this.#studio = studio;
  }

  async read(open: OpenRun, signal: AbortSignal): Promise<SampleRows> {
    const key = `${open.found.run} ${open.version ?? ''}`;
    const known = this.#kept.get(key);
    const { clock } = this.#studio;
    if (known && !(known.isLive && clock.monotonicMs() - known.atMs > LIVE_MS)) {
      this.#kept.delete(key);
      this.#kept.set(key, known);
      return known.rows;
    }
    // Those who ask at the same time wait for the same; one of them going away must not take it from the others.
    const reading = this.#reading.get(key) ?? readRows(open, new Breath(clock, NEVER));
    this.#reading.set(key, reading);
    try {
      const rows = await reading;
      signal.throwIfAborted();
      if (this.#reading.get(key) === reading) this.#keep(key, rows, open.version === undefined);
      return rows;
    } finally {
      if (this.#reading.get(key) === reading) this.#reading.delete(key);
    }
  }

  #keep(key: string, rows: SampleRows, isLive: boolean): void {
    this.#kept.delete(key);
    this.#kept.set(key, { rows, isLive, atMs: this.#studio.clock.monotonicMs() });
    let count = 0;
    for (const { rows: kept } of this.#kept.values()) count += kept.more.length;
    for (const [oldest, { rows: kept }] of this.#kept) {
      if (count <= ROWS_MAX || oldest === key) return;
      this.#kept.delete(oldest);
      count -= kept.more.length;
    }
  }
}

const NEVER = new AbortController().signal;

const memories = new WeakMap<Studio, RowMemory>();

export function readSampleRows(studio: Studio, open: OpenRun, signal: AbortSignal): Promise<SampleRows> {
  const memory = memories.get(studio) ?? new RowMemory(studio);
  memories.set(studio, memory);
  return memory.read(open, signal);
}

/** Of a log whose own list or header is damaged the samples are read themselves, and what is damaged is told [LOG-38]. */
async function readRows({ reader, log, found }: OpenRun, breath: Breath): Promise<SampleRows> {
  try {
    const rows = await collectRows(reader, found.run, breath);
    if (found.item.form !== 'interrupted') return rows;
    // Its header says that it has begun; that nobody goes on with it only its journal tells.
    const facts = { ...rows.table.facts, isInterrupted: true };
    return { ...rows, table: { ...rows.table, facts } };
  } catch (error) {
    if (!(error instanceof DamageError) || !log) throw error;
    const repaired = repairedLog(log);
    const rows = await collectRows(readRunFromLog(repaired), found.run, breath);
    const { code, message, hint } = error;
    const others = repaired.damage.filter((one) => one.message !== message);
    const damaged = others.map(({ member, message: said }) => ({ code, message: said, hint, place: member }));
    return { ...rows, problems: [{ code, message, hint }, ...damaged] };
  }
}

/** Reads the list of a run once. */
export async function collectRows(reader: RunReader, name: string, breath: Breath): Promise<SampleRows> {
  const places = new Map<string, number>();
  const more: RowMore[] = [];
  const usage = new Map<string, ModelUsage>();
  const summaries = reader.summaries.bind(reader);
  async function* seen(): AsyncGenerator<Positioned<EvalSampleSummary>> {
    let count = 0;
    for await (const positioned of summaries()) {
      const { value } = positioned;
      const key = sampleKeyText(value.id, value.epoch);
      const place = places.get(key) ?? more.length;
      places.set(key, place);
      more[place] = moreOf(value);
      for (const [model, one] of Object.entries(value.model_usage))
        usage.set(model, addUsage(usage.get(model), one));
      if (++count % ROWS_A_BREATH === 0) await breath.take();
      yield positioned;
    }
  }
  // One reading of the list fills both.
  const watched: Pick<RunReader, 'place' | 'header' | 'summaries'> = {
    place: reader.place,
    header: () => reader.header(),
    summaries: seen,
  };
  const table = await readRunTable(watched, name);
  return { header: await reader.header(), table, more, usage, problems: [] };
}

function moreOf(summary: EvalSampleSummary): RowMore {
  const { target, metadata, limit, retries, message_count, started_at, completed_at, uuid } = summary;
  return {
    target: line(typeof target === 'string' ? target : target.join(' · ')),
    metadata: shownMetadata(metadata),
    answers: answersOf(summary),
    limit,
    retries: retries !== undefined && retries > 0 ? retries : undefined,
    messages: message_count,
    made: madeOf(metadata),
    startMs: timeOf(started_at),
    endMs: timeOf(completed_at),
    uuid,
  };
}

function answersOf({ scores }: EvalSampleSummary): Readonly<Record<string, string>> {
  const answers: Record<string, string> = {};
  for (const [name, { answer }] of Object.entries(scores ?? {}))
    if (typeof answer === 'string' && answer !== '') answers[name] = line(answer);
  return answers;
}

/** What the user put there, short. */
function shownMetadata({ holdfast: _, ...metadata }: JsonObject): Readonly<Record<string, AnyJson>> {
  const shown: Record<string, AnyJson> = {};
  for (const [key, value] of Object.entries(metadata).slice(0, METADATA_KEYS_MAX))
    if (value !== undefined) shown[key] = shortValue(value);
  return shown;
}

function shortValue(value: Json): AnyJson {
  if (typeof value === 'string') return line(value);
  if (!isJsonArray(value) && !isJsonObject(value)) return new Cuts().settle(value);
  const text = jsonText(value);
  return text.length > LINE_UNITS ? line(text) : new Cuts().settle(value);
}

const MADE: Readonly<Record<string, string>> = { bought: 'run here' };

/** How a sample came to be, in words; undefined where nobody says. */
export function madeOf(metadata: JsonObject): string | undefined {
  const mark = metadata.holdfast;
  if (!isJsonObject(mark)) return undefined;
  if (mark.interrupted === true) return 'recovered';
  const how = isJsonObject(mark.made) ? mark.made.how : undefined;
  return typeof how === 'string' ? (MADE[how] ?? how) : undefined;
}

function timeOf(text: string | undefined): number {
  return text === undefined ? Number.NaN : Date.parse(text);
}

/** A part of a text keeps all of it in memory; a copy does not. */
function line(text: string): string {
  return Buffer.from(oneLine(text, LINE_UNITS), 'utf8').toString('utf8');
}
