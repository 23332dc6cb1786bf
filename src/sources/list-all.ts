import { ActionableError, definedOf, type RunId } from '../base/index.ts';
import { chooseRun, isFiltering, matchesFilter, type RunFilter } from '../results/index.ts';
import { cursorText, type ListCursor, parseListCursor } from './list-cursor.ts';
import { oneRow, type RunInForms } from './one-row.ts';
import type { FindOptions, RunSource, SourceRun } from './run-source.ts';

export interface ListAllOptions extends RunFilter {
  readonly limit: number;
  readonly cursor?: string;
  readonly signal?: AbortSignal;
  /** Whatever else decides which runs are meant. */
  readonly where?: (listed: RunInForms) => boolean;
}

export interface ListPage {
  readonly runs: readonly RunInForms[];
  /** For the next page; absent on the last. */
  readonly cursor?: string;
  /** Sources that could not be read; their runs are missing. */
  readonly problems: readonly SourceProblem[];
}

export interface SourceProblem {
  readonly place: string;
  readonly error: ActionableError;
}

/**
 * One list over all sources, newest first: a run that is kept in several of them is one row. No more is taken from any of them
 * than the page needs. The cursor holds the state of each, so that pages are stable while others publish. A source that fails is told,
 * and keeps no other from being listed; when all fail, the first failure is thrown.
 */
export async function listAll(sources: readonly RunSource[], options: ListAllOptions): Promise<ListPage> {
  const after = options.cursor === undefined ? undefined : parseListCursor(options.cursor);
  const heads = sources.map((source) => new Head(source, after, options));
  try {
    return await takePage(heads, options);
  } finally {
    await Promise.all(heads.map((head) => head.close()));
  }
}

/** All forms of the one run that is meant: E_RUN_UNKNOWN when there is none, E_RUN_AMBIGUOUS when several could be. */
export async function findInAll(
  sources: readonly RunSource[],
  given: string,
  options: FindOptions = {},
): Promise<ReturnType<typeof oneRow>> {
  // A run that finishes leaves its journals when its log is there. Whoever looked for the log before that, or was told of a moment ago,
  // sees neither: it is looked for once more.
  const first = await askAll(sources, given, options);
  const found = first.length > 0 ? first : await askAll(sources, given, {});
  const exact = found.filter(({ name }) => name === given);
  const meant = exact[0]?.run ?? chooseRun(given, [...new Set(found.map(({ run }) => run))]);
  return oneRow(found.filter(({ run }) => run === meant));
}

async function askAll(
  sources: readonly RunSource[],
  given: string,
  options: FindOptions,
): Promise<readonly SourceRun[]> {
  const found: SourceRun[] = [];
  let archived: ActionableError | undefined;
  for (const source of sources) {
    try {
      const run = await source.find(given, options);
      if (run) found.push(run);
    } catch (error) {
      // Another source may still have it.
      if (!(error instanceof ActionableError && error.code === 'E_RUN_ARCHIVED')) throw error;
      archived = error;
    }
  }
  if (archived && found.length === 0) throw archived;
  return found;
}

async function takePage(heads: readonly Head[], options: ListAllOptions): Promise<ListPage> {
  const runs: RunInForms[] = [];
  let end: string | undefined;
  await Promise.all(heads.map((head) => head.next()));
  const problems = () => heads.flatMap(({ problem }) => problem ?? []);
  for (let run = newest(heads); run !== undefined; run = newest(heads)) {
    const { shown: _, ...listed } = oneRow(await takeRun(heads, run));
    if (!isWanted(listed, options)) continue;
    if (runs.length === options.limit) return { runs, ...definedOf({ cursor: end }), problems: problems() };
    runs.push(listed);
    if (runs.length === options.limit) end = cursorText(run, statesOf(heads));
  }
  const [first] = problems();
  if (first && problems().length === heads.length) throw first.error;
  return { runs, problems: problems() };
}

/** All forms of a run; what it was taken from goes on to the next. */
async function takeRun(heads: readonly Head[], run: RunId): Promise<readonly SourceRun[]> {
  const taken: SourceRun[] = [];
  const at = heads.filter((head) => head.run?.run === run);
  for (const { run: one } of at) if (one) taken.push(one);
  await Promise.all(at.map((head) => head.next()));
  return taken;
}

function newest(heads: readonly Head[]): RunId | undefined {
  let id: RunId | undefined;
  for (const { run } of heads) if (run && (id === undefined || run.run > id)) id = run.run;
  return id;
}

function statesOf(heads: readonly Head[]): ReadonlyMap<string, string> {
  return new Map(heads.flatMap(({ place, state }) => (state === undefined ? [] : [[place, state] as const])));
}

function isWanted(listed: RunInForms, { where, ...filter }: ListAllOptions): boolean {
  const { row, marks } = listed;
  if (!filter.withRemoved && marks && marks.removals.length > 0) return false;
  const isNamed = row ? matchesFilter(row, filter) : !isFiltering(filter);
  return isNamed && (where === undefined || where(listed));
}

/** The next run of one source. */
class Head {
  readonly place: string;
  run: SourceRun | undefined;
  /** From which the source can go on with `run`, or after the last that it gave. */
  state: string | undefined;
  problem: SourceProblem | undefined;
  readonly #runs: AsyncIterator<SourceRun>;

  constructor(source: RunSource, after: ListCursor | undefined, { sinceMs, limit, signal }: ListAllOptions) {
    this.place = source.place;
    this.state = after?.at(source.place);
    const options = { before: after?.run, at: this.state, sinceMs, atATime: limit + 1, signal };
    this.#runs = source.runs(options)[Symbol.asyncIterator]();
  }

  async next(): Promise<void> {
    try {
      const next = await this.#runs.next();
      this.run = next.done ? undefined : next.value;
      this.state = this.run?.at ?? this.state;
    } catch (error) {
      if (!(error instanceof ActionableError)) throw error;
      this.run = undefined;
      this.problem = { place: this.place, error };
    }
  }

  async close(): Promise<void> {
    await this.#runs.return?.();
  }
}
