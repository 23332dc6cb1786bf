import { repairedLog } from '../../log/index.ts';
import type { FoundResult, ResultsStore } from '../../results/index.ts';
import { defineCommand } from '../command.ts';
import { EXIT } from '../exit-code.ts';
import type { ExportableRun } from '../results/export-command.ts';
import { type ExportFlags, exportOptions } from '../results/export-options.ts';
import { resultsOf, resultsOptions } from '../results/results-place.ts';
import { type FilterFlags, filterOf, filterOptions } from '../results/run-filter.ts';

export const command = defineCommand<ExportFlags & FilterFlags>({
  summary: 'Write published runs as tables, or as logs again',
  description: `Writes the tables runs, samples and scores as Parquet, CSV or JSON Lines; or, with --to eval, the logs themselves, with the very
documents that were published. Without ids: all runs that the filters leave. Every file is whole or not there.`,
  arguments: [['[runs...]', 'ids of runs, or beginnings of them']],
  options: [...exportOptions(), ...filterOptions(), ...resultsOptions()],
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
    await using results = await resultsOf(flags, terminal);
    const ids = args[0] ?? [];
    const runs: ExportableRun[] = [];
    let isDamaged = false;
    for (const id of ids) runs.push(exportable(results, await results.find(id)));
    if (ids.length === 0)
      for await (const found of results.each(filterOf(flags))) {
        if (found.revision) runs.push(exportable(results, found));
        else terminal.note(`${found.run} is left out: ${found.damage}`);
        isDamaged ||= found.damage !== undefined;
      }
    const exitCode = await exportRuns(runs, flags, terminal);
    return isDamaged ? EXIT.damage : exitCode;
  },
});

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
