import {
  isJsonArray,
  isJsonObject,
  type Json,
  jsonText,
  type SampleId,
  sampleKeyText,
} from '../base/index.ts';
import type { EvalSampleSummary, RunReader } from '../log/index.ts';
import { SharedTexts } from './shared-texts.ts';
import { type Side, type SideSample, type SideTop, sampleOf, sideTop } from './side.ts';

/**
 * The samples of a run as somebody keeps them who is asked about the same runs again and again: in columns, because a hundred thousand
 * objects take several times the memory. Each column has one item for each sample at each epoch, in the order of the run.
 */
export interface RunTable extends SideTop {
  readonly ids: readonly SampleId[];
  readonly epochs: readonly number[];
  readonly states: readonly SideSample['state'][];
  /** NaN where it is not known; so are the three below it. */
  readonly usd: readonly number[];
  readonly tokens: readonly number[];
  readonly seconds: readonly number[];
  readonly turns: readonly number[];
  /** Fingerprints of what was asked. */
  readonly rows: readonly number[];
  readonly figures: ReadonlyMap<string, readonly (Json | undefined)[]>;
  /** By the place of the sample. */
  readonly errors: ReadonlyMap<number, string>;
  /** The beginning of what was asked, in one line. */
  readonly inputs: readonly string[];
  /** The beginning of the answer that was scored first, in one line; empty without one. */
  readonly answers: readonly string[];
}

const INPUT_CHARS_MAX = 160;
const ANSWER_CHARS_MAX = 80;
const VALUE_CHARS_MAX = 64;

/** Reads the header and the summaries of a run, one by one. `texts`: of other tables, which are shared with it. */
export async function readRunTable(
  reader: Pick<RunReader, 'place' | 'header' | 'summaries'>,
  name: string,
  texts = new SharedTexts(),
): Promise<RunTable> {
  const header = await reader.header();
  const rows = new TableRows(texts);
  for await (const { value } of reader.summaries()) rows.add(value);
  return rows.finish(sideTop(header, { name, place: reader.place, counts: rows.counts }));
}

/** The same run as `readSide` reads it. */
export function sideOfTable(table: RunTable): Side {
  const { facts, identity, evalId, scorers, ids, epochs } = table;
  const samples = new Map<string, SideSample>();
  for (const [place, id] of ids.entries())
    samples.set(sampleKeyText(id, epochs[place] ?? 1), sampleAt(table, place));
  return { facts, identity, evalId, scorers, samples };
}

/** One sample of it at one epoch. */
export function sampleAt(table: RunTable, place: number): SideSample {
  const error = table.errors.get(place);
  const figures = new Map<string, Json>();
  for (const [figure, values] of table.figures) {
    const value = values[place];
    if (value !== undefined) figures.set(figure, value);
  }
  return {
    id: table.ids[place] ?? '',
    epoch: table.epochs[place] ?? 1,
    state: table.states[place] ?? 'unfinished',
    ...(error === undefined ? undefined : { error }),
    figures,
    usd: known(table.usd[place]),
    tokens: table.tokens[place] ?? 0,
    seconds: known(table.seconds[place]),
    row: table.rows[place] ?? 0,
  };
}

function known(value: number | undefined): number | undefined {
  return Number.isNaN(value) ? undefined : value;
}

class TableRows {
  readonly counts = { completed: 0, errored: 0, unfinished: 0 };
  readonly #texts: SharedTexts;
  readonly #places = new Map<string, number>();
  readonly #ids: SampleId[] = [];
  readonly #epochs: number[] = [];
  readonly #states: SideSample['state'][] = [];
  readonly #usd: number[] = [];
  readonly #tokens: number[] = [];
  readonly #seconds: number[] = [];
  readonly #turns: number[] = [];
  readonly #rows: number[] = [];
  readonly #figures = new Map<string, (Json | undefined)[]>();
  readonly #errors = new Map<number, string>();
  readonly #inputs: string[] = [];
  readonly #answers: string[] = [];

  constructor(texts: SharedTexts) {
    this.#texts = texts;
  }

  /** A sample that is listed twice is as it is listed last, as everywhere. */
  add(summary: EvalSampleSummary): void {
    const sample = sampleOf(summary);
    this.counts[sample.state]++;
    const key = sampleKeyText(sample.id, sample.epoch);
    const place = this.#places.get(key) ?? this.#ids.length;
    this.#places.set(key, place);
    this.#ids[place] = typeof sample.id === 'string' ? this.#texts.of(sample.id) : sample.id;
    this.#epochs[place] = sample.epoch;
    this.#states[place] = sample.state;
    this.#usd[place] = sample.usd ?? Number.NaN;
    this.#tokens[place] = sample.tokens;
    this.#seconds[place] = sample.seconds ?? Number.NaN;
    this.#turns[place] = summary.turn_count ?? Number.NaN;
    this.#rows[place] = sample.row;
    this.#inputs[place] = this.#texts.of(oneLineOf(inputText(summary.input), INPUT_CHARS_MAX));
    this.#answers[place] = this.#texts.of(oneLineOf(answerOf(summary), ANSWER_CHARS_MAX));
    if (sample.error === undefined) this.#errors.delete(place);
    else this.#errors.set(place, copyOf(sample.error));
    this.#addFigures(place, sample.figures);
  }

  #addFigures(place: number, figures: ReadonlyMap<string, Json>): void {
    for (const figure of figures.keys())
      if (!this.#figures.has(figure)) this.#figures.set(figure, new Array(place).fill(undefined));
    for (const [figure, values] of this.#figures) values[place] = shortValue(figures.get(figure));
  }

  /** Columns that grew have room to grow further, which nobody needs any more. */
  finish(top: SideTop): RunTable {
    return {
      ...top,
      ids: this.#ids.slice(),
      epochs: this.#epochs.slice(),
      states: this.#states.slice(),
      usd: this.#usd.slice(),
      tokens: this.#tokens.slice(),
      seconds: this.#seconds.slice(),
      turns: this.#turns.slice(),
      rows: this.#rows.slice(),
      figures: new Map([...this.#figures].map(([figure, values]) => [figure, values.slice()])),
      errors: this.#errors,
      inputs: this.#inputs.slice(),
      answers: this.#answers.slice(),
    };
  }
}

/** What is no number and no letter is no figure, however long it is. */
function shortValue(value: Json | undefined): Json | undefined {
  if (typeof value === 'string')
    return value.length <= VALUE_CHARS_MAX ? value : copyOf(value.slice(0, VALUE_CHARS_MAX));
  return isJsonObject(value ?? null) || isJsonArray(value ?? null) ? null : value;
}

function answerOf({ scores }: EvalSampleSummary): string {
  for (const { answer } of Object.values(scores ?? {})) if (typeof answer === 'string') return answer;
  return '';
}

/** Of a conversation what its first user says; else what comes first. */
export function inputText(input: EvalSampleSummary['input']): string {
  if (typeof input === 'string') return input;
  const messages = input.filter((message) => isJsonObject(message));
  const first = messages.find(({ role }) => role === 'user') ?? messages[0];
  return first === undefined ? '' : contentText(first.content ?? null);
}

function contentText(content: Json): string {
  if (!isJsonArray(content)) return jsonText(content);
  return content
    .map((part) => (isJsonObject(part) && typeof part.text === 'string' ? part.text : ''))
    .filter((text) => text !== '')
    .join(' ');
}

/** Cut before whitespace is collapsed: nobody collapses a megabyte for one line. Most texts need neither. */
function oneLineOf(text: string, charsMax: number): string {
  const start = text.length > 4 * charsMax ? text.slice(0, 4 * charsMax) : text;
  const line = UNEVEN.test(start) ? start.replace(/\s+/g, ' ').trim() : start;
  if (line.length <= charsMax && start === text) return line;
  return copyOf(`${line.slice(0, charsMax - 1).replace(/[\ud800-\udbff]$/, '')}…`);
}

const UNEVEN = /^\s|\s$|\s\s|[^\S ]/;

/** A part of a text keeps all of it in memory; a copy does not. */
function copyOf(text: string): string {
  return Buffer.from(text, 'utf8').toString('utf8');
}
