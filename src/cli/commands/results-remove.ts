import { Option } from 'commander';
import { toJson } from '../../base/index.ts';
import { removeRun, restoreRun } from '../../results/index.ts';
import { defineCommand } from '../command.ts';
import { EXIT } from '../exit-code.ts';
import { type ResultsFlags, resultsOf, resultsOptions } from '../results/results-place.ts';

interface RemoveFlags extends ResultsFlags {
  readonly reason?: string;
  readonly restore?: true;
}

export const command = defineCommand<RemoveFlags>({
  summary: 'Hide published runs from lists, or show them again',
  description: `Nothing is deleted: git keeps everything. "holdfast results list --removed" shows what is hidden, and --restore brings it back.`,
  arguments: [['<runs...>', 'ids of runs, or beginnings of them']],
  options: [
    new Option('--reason <text>', 'why'),
    new Option('--restore', 'show them again').conflicts('reason'),
    ...resultsOptions(),
  ],
  examples: [
    ['holdfast results remove KvkpiQSMQs --reason "wrong key"', 'hide a run'],
    ['holdfast results remove KvkpiQSMQs --restore', 'show it again'],
  ],
  exits: { 0: 'said', 1: 'git failed', 2: 'there is no such run' },
  async run({ args, flags, terminal }) {
    await using results = await resultsOf(flags, terminal);
    const runs = await results.idsOf(args[0] as readonly string[]);
    const notes = flags.restore
      ? await restoreRun(results, runs)
      : await removeRun(results, runs, flags.reason);
    const isRemoved = flags.restore !== true;
    if (flags.json)
      terminal.json(toJson({ runs: runs.map((run) => ({ run, isRemoved })), notes: notes.length }));
    else
      for (const run of runs)
        terminal.line(`${run}  ${isRemoved ? 'is hidden from lists' : 'is shown again'}`);
    return EXIT.ok;
  },
});
