import { ActionableError, DamageError, definedOf } from '../../base/index.ts';
import { repairedLog } from '../../log/index.ts';
import { type FoundResult, matchesFilter, type ResultsStore, type RunFilter } from '../../results/index.ts';
import { findInAll, type RunSource } from '../../sources/index.ts';
import { defineCommand } from '../command.ts';
import { EXIT } from '../exit-code.ts';
import { resultsIfThere } from '../logs/named-log.ts';
import type { ExportableRun } from '../results/export-command.ts';
import { type ExportFlags, exportOptions } from '../results/export-options.ts';
import { exportableFrom } from '../results/foreign-run.ts';
import { resultsOf, resultsOptions } from '../results/results-place.ts';
import { type FilterFlags, filterOf, filterOptions } from '../results/run-filter.ts';
import { openNamedSources, sourceOption } from '../results/run-sources.ts';
import type { Terminal } from '../terminal.ts';

export const command = defineCommand<ExportFlags & FilterFlags>({
  summary: 'Write published runs as tables, or as logs again',
  description: `Writes the tables runs, samples and scores as Parquet, CSV or JSON Lines; or, with --to eval, the logs themselves, with the very
documents that were published. Without ids: all runs that the filters leave. Every file is whole or not there.`,
  arguments: [['[runs...]', 'ids of runs, published or of a --source, or beginnings of them']],
  options: [...exportOptions(), ...filterOptions(), sourceOption(), ...resultsOptions()],
  examples: [
    ['holdfast results export --to parquet --out tables', 'everything, for pandas, DuckDB and the like'],
    [
      'holdfast results export --eval capitals --since 7d --to csv --table samples --out week.csv',
      'one table of some runs',
    ],
    ['holdfast results export KvkpiQSMQs --to eval --out .', 'a log, as it was published'],
  ],
  exits: {
    0: 'written',
    1: 'git or the disk failed',
    2: 'there is no such run, there are files already, or the command line is wrong',
    3: 'something published is damaged or not kept; the rest was written',
  },
  async run({ args, flags, terminal }) {
    const { exportRuns } = await import('../results/export-command.ts');
    await using results = await resultsFor(flags, terminal);
    await using named = await openNamedSources(flags, terminal);
    const places = { results, sources: named.sources };
    const ids = (args[0] ?? []) as readonly string[];
    const found = await (ids.length > 0 ? byIds(ids, places) : all(filterOf(flags), places));
    for (const { run, damage } of found.damaged) terminal.note(`${run} is left out: ${damage}`);
    const exitCode = await exportRuns(found.runs, flags, terminal);
    return found.damaged.length > 0 && exitCode === EXIT.ok ? EXIT.damage : exitCode;
  },
});

interface Places {
  /** Undefined where nobody keeps any; then a source was named. */
  readonly results: ResultsStore | undefined;
  readonly sources: readonly RunSource[];
}

interface Found {
  readonly runs: readonly ExportableRun[];
  readonly damaged: readonly { readonly run: string; readonly damage: string }[];
}

async function resultsFor(flags: ExportFlags, terminal: Terminal): Promise<ResultsStore | undefined> {
  const hasSources = (flags.source ?? []).length > 0;
  return hasSources ? resultsIfThere(flags, terminal) : resultsOf(flags, terminal);
}

/** One of several that is damaged does not keep the others from being exported. */
async function byIds(ids: readonly string[], places: Places): Promise<Found> {
  const runs: ExportableRun[] = [];
  const damaged: { run: string; damage: string }[] = [];
  for (const id of ids) {
    try {
      runs.push(await byId(id, places));
    } catch (error) {
      if (!(error instanceof DamageError) || ids.length === 1) throw error;
      damaged.push({ run: id, damage: error.message });
    }
  }
  return { runs, damaged };
}

async function byId(id: string, { results, sources }: Places): Promise<ExportableRun> {
  try {
    if (results) return exportable(results, await results.find(id));
  } catch (error) {
    const isElsewhere = error instanceof ActionableError && NOT_PUBLISHED.has(error.code);
    if (!isElsewhere || sources.length === 0) throw error;
  }
  return exportableFrom((await findInAll(sources, id)).shown);
}

/** It may be in a source. */
const NOT_PUBLISHED: ReadonlySet<string> = new Set(['E_RUN_ID', 'E_RUN_UNKNOWN']);

/** All that a filter leaves: of the results first, then of the sources what is not among them. */
async function all(filter: RunFilter, { results, sources }: Places): Promise<Found> {
  const runs: ExportableRun[] = [];
  const damaged: { run: string; damage: string }[] = [];
  const seen = new Set<string>();
  for await (const found of results?.each(filter) ?? []) {
    seen.add(found.run);
    if (found.revision && results) runs.push(exportable(results, found));
    else damaged.push({ run: found.run, damage: found.damage ?? 'it was removed meanwhile' });
  }
  for (const source of sources)
    for await (const run of source.runs(definedOf({ sinceMs: filter.sinceMs }))) {
      if (seen.has(run.run) || !run.openLog) continue;
      seen.add(run.run);
      if (!run.row) damaged.push({ run: run.run, damage: run.damage });
      else if (matchesFilter(run.row, filter)) runs.push(await exportableFrom(run));
    }
  return { runs, damaged };
}

function exportable(results: ResultsStore, found: Pick<FoundResult, 'revision'>): ExportableRun {
  return {
    row: found.revision.row,
    read: async (work) => {
      const log = await results.open(found);
      try {
        await work(repairedLog(log));
      } finally {
        await log.close();
      }
    },
    rebuild: (into, options) => results.rebuild(found, into, options),
  };
}
