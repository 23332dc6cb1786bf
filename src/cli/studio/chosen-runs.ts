import { basename } from 'node:path';
import { ActionableError, UsageError } from '../../base/index.ts';
import { findInAll, type RunInForms, type RunSource } from '../../sources/index.ts';
import { type ReferenceFlags, RunReferences } from '../results/run-reference.ts';
import { listWhere } from '../results/run-where.ts';
import type { Terminal } from '../terminal.ts';

export interface ChosenFlags extends ReferenceFlags {
  readonly all?: true;
  readonly where?: string;
  readonly limit?: number;
}

export interface ChosenRuns {
  readonly runs: readonly string[];
  /** Those that were named one by one, in that order. */
  readonly named: readonly string[];
  /** Runs that a filter found, but that are still under way. */
  readonly underWay: readonly string[];
  /** Sources that could not be read. */
  readonly problems: readonly { readonly place: string; readonly error: ActionableError }[];
}

interface Choosing {
  readonly flags: ChosenFlags;
  readonly sources: readonly RunSource[];
  readonly terminal: Terminal;
  readonly nowMs: number;
}

/** The runs that the command line means: those that are named, or all that a filter leaves. */
export async function chooseRuns(names: readonly string[], choosing: Choosing): Promise<ChosenRuns> {
  const { flags, sources, nowMs } = choosing;
  const isFiltered = flags.all !== undefined || flags.where !== undefined;
  if (names.length > 0 === isFiltered) throw isFiltered ? bothWays() : noWay();
  if (names.length > 0) {
    const named = await resolveNames(names, choosing);
    return { runs: named, named, underWay: [], problems: [] };
  }
  const limit = flags.limit ?? Number.MAX_SAFE_INTEGER;
  const { runs, problems } = await listWhere(sources, { where: flags.where ?? '' }, { limit, nowMs });
  const finished = runs.filter((run) => !isUnderWay(run)).map(({ run }) => run);
  const underWay = runs.filter(isUnderWay).map(({ run }) => run);
  if (finished.length === 0) throw noneFound(flags.where);
  return { runs: finished, named: [], underWay, problems };
}

async function resolveNames(names: readonly string[], choosing: Choosing): Promise<readonly string[]> {
  const { flags, sources, terminal } = choosing;
  const runs = new Set<string>();
  await using references = new RunReferences(flags, terminal);
  for (const name of names) {
    const known = /^(@|tag:)/.test(name) ? undefined : await findByName(sources, name);
    if (known) {
      if (isUnderWay(known)) throw stillUnderWay(known.run);
      runs.add(known.run);
      continue;
    }
    const [run] = await references.open([name]);
    const id = run?.row?.run;
    if (id === undefined) throw elsewhere(name);
    runs.add(id);
  }
  return [...runs];
}

/** By its id, as much of it as tells it from others, or the name of its log. */
async function findByName(sources: readonly RunSource[], name: string): Promise<RunInForms | undefined> {
  for (const given of new Set([name, basename(name)])) {
    try {
      return await findInAll(sources, given);
    } catch (error) {
      if (!(error instanceof ActionableError && NOT_FOUND.has(error.code))) throw error;
    }
  }
  return undefined;
}

const NOT_FOUND: ReadonlySet<string> = new Set(['E_RUN_UNKNOWN', 'E_RUN_ID']);

/** Tomorrow it would be another. */
function isUnderWay({ forms }: RunInForms): boolean {
  return forms[0] === 'running';
}

function noWay(): UsageError {
  return new UsageError({
    code: 'E_STUDIO_EXPORT_RUNS',
    message: 'No runs are named.',
    hint: 'Name some, choose them with --where "eval:swe* since:30d", or take all with --all.',
  });
}

function bothWays(): UsageError {
  return new UsageError({
    code: 'E_STUDIO_EXPORT_RUNS',
    message: 'Runs are named, and --all or --where is given as well.',
    hint: 'Leave out one of the two.',
  });
}

function noneFound(where: string | undefined): UsageError {
  return new UsageError({
    code: 'E_STUDIO_EXPORT_RUNS',
    message:
      where === undefined ? 'There are no finished runs here.' : `No finished run is left by ${where}.`,
    hint: '"holdfast results list" shows what there is; --source names another place.',
  });
}

function stillUnderWay(run: string): UsageError {
  return new UsageError({
    code: 'E_STUDIO_EXPORT_RUNS',
    message: `${run} is still under way.`,
    hint: 'Export it when it has finished; "holdfast studio" shows it as it goes on.',
  });
}

function elsewhere(name: string): UsageError {
  return new UsageError({
    code: 'E_STUDIO_EXPORT_RUNS',
    message: `${name} is in none of the places that are looked into.`,
    hint: 'Name the folder that it lies in with --source.',
  });
}
