import { definedOf, UsageError } from '../../base/index.ts';
import { repairedLog } from '../../log/index.ts';
import { defineCommand } from '../command.ts';
import { type NamedLog, openNamed } from '../logs/named-log.ts';
import { isSaidWhich, type SampleWhereFlags, sampleWhereOptions } from '../logs/sample-where.ts';
import type { ExportableRun } from '../results/export-command.ts';
import { type ExportFlags, exportOptions } from '../results/export-options.ts';
import { rebuildForeign, rowOfForeign } from '../results/foreign-run.ts';
import { resultsOptions } from '../results/results-place.ts';
import { sourceOption } from '../results/run-sources.ts';

export const command = defineCommand<ExportFlags & SampleWhereFlags>({
  summary: 'Write a log as tables (Parquet, CSV, JSON Lines)',
  description: `Writes the tables runs, samples and scores of one log, of Holdfast or Inspect; or of a published run, which --to eval also makes a
log again. Every file is whole or not there.`,
  arguments: [
    ['<log>', 'a log: a path, its URL in a bucket, or the id of a run that is published or in a --source'],
  ],
  options: [...exportOptions(), ...sampleWhereOptions(), sourceOption(), ...resultsOptions()],
  examples: [
    ['holdfast log export logs/x.eval --to parquet --out tables', 'runs, samples and scores'],
    ['holdfast log export logs/x.eval --to csv --table samples --out x.csv', 'one of them'],
    [
      "holdfast log export logs/x.eval --to jsonl --table samples --out x.jsonl --where 'score:fail cost>0.2' --sort=-cost",
      'the samples that the Studio shows for this filter, in its order',
    ],
  ],
  exits: {
    0: 'written',
    1: 'the log cannot be read, or the disk failed',
    2: 'there is no such log, there are files already, or the command line is wrong',
    3: 'something in the log is damaged; the rest was written',
  },
  async run({ args, flags, terminal }) {
    const { exportRuns } = await import('../results/export-command.ts');
    await using named = await openNamed(String(args[0]), flags, terminal);
    return await exportRuns([await exportable(named, flags)], flags, terminal);
  },
});

async function exportable(
  { log, published, sourceRun }: NamedLog,
  flags: ExportFlags & SampleWhereFlags,
): Promise<ExportableRun> {
  if (isSaidWhich(flags) && flags.to === 'eval')
    throw new UsageError({
      code: 'E_FILTER',
      message: 'A log is made again whole: --where and --sort choose rows of tables.',
      hint: 'Leave them out, or name parquet, csv or jsonl with --to.',
    });
  const row = published?.found.revision.row ?? (await rowOfForeign(log, sourceRun?.run));
  return {
    row,
    read: (work) => work(repairedLog(log)),
    ...definedOf({ samples: isSaidWhich(flags) ? await choosing(flags, published) : undefined }),
    rebuild: (into, { name = row.log.name, replace }) => rebuildForeign(log, into, { row, name, replace }),
  };
}

/** The Studio's own code, loaded where somebody speaks its language. */
async function choosing(
  flags: SampleWhereFlags,
  published: NamedLog['published'],
): Promise<ExportableRun['samples']> {
  const { chosenSamples } = await import('../logs/chosen-samples.ts');
  return (log) => chosenSamples(log, flags, published?.found.marks);
}
