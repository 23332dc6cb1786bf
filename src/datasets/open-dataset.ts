/** The rows of an eval: every one checked before anything runs, each found again by its number. */
import {
  ActionableError,
  assert,
  counted,
  type Digest,
  messageOf,
  sampleKeyText,
  seededRandom,
  shuffled,
  UsageError,
} from '../base/index.ts';
import {
  type EvalDefinition,
  type IdentifiedRow,
  IdGiver,
  idsWanted,
  matchesFilter,
  type Row,
  readRow,
  type SampleRow,
  sampleContentDigest,
} from '../evals/index.ts';
import { badRow, duplicateId, emptyData } from './data-error.ts';
import { type OpenStoreInput, openStore } from './open-store.ts';
import type { RowStore } from './row-store.ts';

export interface OpenDatasetInput extends OpenStoreInput {
  /** Filter, shuffle and limit are applied in this order. Ids are given before, so none of them changes an id. */
  readonly filter?: EvalDefinition['filter'];
  /** The seed; the same seed gives the same order on every machine. */
  readonly shuffle?: number;
  readonly limit?: number;
  /** Of what is left only a slice: every `count`th row, from number `index` (from 1) on. */
  readonly shard?: Shard;
  /** Throws a UsageError for a row that could not be used. Only rows that are left after filter and limit are refused. */
  readonly check?: (row: SampleRow) => void;
}

/** One slice of several: together they have every row, each once. */
export interface Shard {
  readonly index: number;
  readonly count: number;
}

export interface Dataset {
  /** How many rows there are after filter and limit. */
  readonly count: number;
  /** How many rows the data has in all. */
  readonly totalCount: number;
  readonly name?: string;
  readonly location?: string;
  readonly isShuffled: boolean;
  readonly ids: readonly (string | number)[];
  contentDigest(index: number): Digest;
  row(index: number): Promise<SampleRow>;
  /** Closes files and removes temporary ones. Rows cannot be read afterwards. Closing twice is fine. */
  close(): Promise<void>;
}

/** Reads all rows once: each is checked, ids are unique, and at least one row is left. Errors name file and line. */
export async function openDataset(input: OpenDatasetInput): Promise<Dataset> {
  const opened = await openStore(input);
  try {
    const entries: RowEntry[] = [];
    const someIds: (string | number)[] = [];
    const unfit = new Set<number>();
    let totalCount = 0;
    for await (const { row, digest } of checkedRows(opened.store)) {
      if (someIds.length < IDS_NAMED_MAX) someIds.push(row.id);
      if (isWanted(row, input.filter)) {
        entries.push({ id: row.id, index: totalCount, digest });
        if (problemWith(row, input) !== undefined) unfit.add(totalCount);
      }
      totalCount++;
    }
    const ids = idsWanted(input.filter);
    const missing = idsWithoutRow(ids ?? [], entries);
    if (entries.length === 0 || missing.length > 0)
      throw nothingLeft(opened.label, totalCount, { ids: ids && missing, someIds });
    const { label: _label, store, ...names } = opened;
    const isShuffled = input.shuffle !== undefined;
    const dataset = new StoredDataset(store, { ...names, totalCount, isShuffled }, select(entries, input));
    await refuseUnfit(dataset, unfit, input);
    return dataset;
  } catch (error) {
    await opened.store.close();
    throw error;
  }
}

/** Whoever names a row by mistake is told: the others alone are not what was asked for. */
function idsWithoutRow(ids: readonly string[], entries: readonly RowEntry[]): readonly string[] {
  const found = new Set(entries.map(({ id }) => String(id)));
  return ids.filter((id) => !found.has(id));
}

/** What `check` says of a row. */
function problemWith(row: SampleRow, { check }: OpenDatasetInput): UsageError | undefined {
  try {
    check?.(row);
    return undefined;
  } catch (error) {
    if (error instanceof UsageError) return error;
    throw error;
  }
}

/** The first unfit row is named with its place, and the others are counted. */
async function refuseUnfit(
  dataset: StoredDataset,
  unfit: ReadonlySet<number>,
  input: OpenDatasetInput,
): Promise<void> {
  const places = dataset.placesOf(unfit);
  const [first] = places;
  const problem = first && problemWith(await dataset.row(first.index), input);
  if (!problem) return;
  const others =
    places.length === 1 ? '' : ` So it is with ${places.length - 1} more of ${dataset.count} rows.`;
  throw new UsageError({
    code: problem.code,
    message: `${first.place}: ${problem.message}${others}`,
    hint: problem.hint,
  });
}

interface RowEntry {
  readonly id: string | number;
  /** The number of the row in the store. */
  readonly index: number;
  readonly digest: Digest;
}

async function* checkedRows(store: RowStore): AsyncGenerator<IdentifiedRow> {
  const ids = new IdGiver();
  const seen = new Map<string, number>();
  let index = 0;
  for await (const value of store.rows()) {
    const identified = ids.identify(checkRow(value, () => store.place(index)));
    const { id } = identified.row;
    // 1 and "1" are one sample, so they cannot be two rows.
    const key = sampleKeyText(id, 1);
    const earlier = seen.get(key);
    if (earlier !== undefined) throw duplicateId(id, store.place(earlier), store.place(index));
    seen.set(key, index);
    yield identified;
    index++;
  }
}

function checkRow(value: unknown, place: () => string): Row {
  const reading = readRow(value);
  if ('row' in reading) return reading.row;
  throw badRow(place(), reading.problem, hintFor(value));
}

/** Rows of files whose input has another name are the usual case. */
function hintFor(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || Reflect.get(value, 'input') !== undefined)
    return undefined;
  const metadata: unknown = Reflect.get(value, 'metadata');
  const others = typeof metadata === 'object' && metadata !== null ? Object.keys(metadata) : [];
  if (others.length === 0) return undefined;
  return `It has ${others.slice(0, 8).join(', ')}; say which is the input: data: { file: …, fields: { input: "${others[0]}" } }.`;
}

function isWanted(row: SampleRow, filter: OpenDatasetInput['filter']): boolean {
  if (filter === undefined) return true;
  if (typeof filter !== 'function') return matchesFilter(row, filter);
  try {
    return filter(row);
  } catch (error) {
    if (error instanceof ActionableError) throw error;
    throw new UsageError({
      code: 'E_DATA_SOURCE',
      message: `The filter of the eval failed on the row ${JSON.stringify(row.id)}: ${messageOf(error)}`,
      hint: 'Correct the function given as "filter".',
      cause: error,
    });
  }
}

function select(entries: readonly RowEntry[], input: OpenDatasetInput): readonly RowEntry[] {
  const { shuffle, limit, shard } = input;
  const ordered = shuffle === undefined ? entries : shuffled(entries, seededRandom(shuffle));
  const limited = limit === undefined ? ordered : ordered.slice(0, limit);
  if (!shard) return limited;
  const { index, count } = shard;
  const slice = limited.filter((_, at) => at % count === index - 1);
  if (slice.length === 0) throw nothingInShard(limited.length, shard);
  return slice;
}

/** Nothing is wrong: there are more shards than rows. */
function nothingInShard(rows: number, { index, count }: Shard): UsageError {
  return new UsageError({
    code: 'E_SHARD_EMPTY',
    message: `Shard ${index}/${count} has no samples: there are ${counted(rows, 'row')} for ${count} shards.`,
    hint: 'Nothing is missing: the other shards have them.',
  });
}

const IDS_NAMED_MAX = 5;

function nothingLeft(
  label: string,
  totalCount: number,
  about: { readonly ids: readonly string[] | undefined; readonly someIds: readonly (string | number)[] },
): UsageError {
  const { ids, someIds } = about;
  if (totalCount === 0) return emptyData(`${label} has no rows.`, 'Add at least one row with "input".');
  if (ids !== undefined) {
    const more = totalCount > someIds.length ? ' …' : '';
    const which = ids.length === 1 ? `the id ${ids[0]}` : `the ids ${ids.join(', ')}`;
    return emptyData(
      `${label} has no row to run with ${which}.`,
      `Check the ids, and "filter" of the eval if it has one; its rows have ${someIds.join(', ')}${more}`,
    );
  }
  return emptyData(`${label} has ${totalCount} rows, and the filter leaves none.`, 'Check "filter".');
}

type DatasetNames = Pick<Dataset, 'name' | 'location' | 'totalCount' | 'isShuffled'>;

class StoredDataset implements Dataset {
  readonly count: number;
  readonly totalCount: number;
  readonly isShuffled: boolean;
  readonly name?: string;
  readonly location?: string;
  readonly ids: readonly (string | number)[];
  readonly #store: RowStore;
  #entries: readonly RowEntry[];
  #closing: Promise<void> | undefined;

  constructor(store: RowStore, names: DatasetNames, entries: readonly RowEntry[]) {
    this.#store = store;
    this.#entries = entries;
    this.count = entries.length;
    this.totalCount = names.totalCount;
    this.isShuffled = names.isShuffled;
    if (names.name !== undefined) this.name = names.name;
    if (names.location !== undefined) this.location = names.location;
    this.ids = entries.map((entry) => entry.id);
  }

  contentDigest(index: number): Digest {
    return this.#entry(index).digest;
  }

  /** Which of these rows of the store are in the dataset, and where they stand. */
  placesOf(stored: ReadonlySet<number>): ReadonlyArray<{ readonly index: number; readonly place: string }> {
    if (stored.size === 0) return [];
    return this.#entries.flatMap((entry, index) =>
      stored.has(entry.index) ? [{ index, place: this.#store.place(entry.index) }] : [],
    );
  }

  /** The row is checked against its digest: a file that changes under a run must not mix two versions of a sample. */
  async row(index: number): Promise<SampleRow> {
    const { id, digest, index: stored } = this.#entry(index);
    const reading = readRow(await this.#store.read(stored));
    const row = 'row' in reading ? { ...reading.row, id } : undefined;
    if (row !== undefined && sampleContentDigest(row) === digest) return row;
    throw new ActionableError({
      code: 'E_DATA_CHANGED',
      message: `The row at ${this.#store.place(stored)} has changed since the run began.`,
      hint: 'Leave data files alone while a run reads them; run again to take the new rows.',
    });
  }

  close(): Promise<void> {
    this.#entries = [];
    this.#closing ??= this.#store.close();
    return this.#closing;
  }

  #entry(index: number): RowEntry {
    const entry = this.#entries[index];
    assert(entry !== undefined, `the dataset has ${this.count} rows, not ${index + 1}`);
    return entry;
  }
}
