import { Option } from 'commander';
import { toJson } from '../../base/index.ts';
import { compareRuns } from '../../compare/index.ts';
import { readRunFromLog } from '../../log/index.ts';
import { defineCommand } from '../command.ts';
import { compareMarkdown } from '../compare/compare-markdown.ts';
import { compareReport } from '../compare/compare-report.ts';
import { EXIT } from '../exit-code.ts';
import { collect } from '../parse-values.ts';
import { resultsOptions } from '../results/results-place.ts';
import { type ReferenceFlags, RunReferences } from '../results/run-reference.ts';
import { sourceOption } from '../results/run-sources.ts';
import { letHeapGrow } from '../small-heap.ts';

interface CompareFlags extends ReferenceFlags {
  readonly gate?: true;
  readonly md?: true;
  readonly all?: true;
  readonly scorer?: readonly string[];
  readonly lower?: readonly string[];
}

export const command = defineCommand<CompareFlags>({
  summary: 'Say whether runs are better or worse, and which samples flipped',
  description: `Compares runs sample by sample with the first one: better, worse, or cannot tell, and then what would decide. A run is a log, the id
of a published run or of one in a --source, or its beginning, a tag (tag:<name>), @last, @prev (the one before it) or @main (the last of the same eval from the main branch).`,
  arguments: [['<runs...>', 'two to six runs; the first is what the others are compared with']],
  options: [
    new Option('--gate', 'end with 1 when a run is worse'),
    new Option('--md', 'print Markdown, for a pull request').conflicts('json'),
    new Option('--all', 'list all flips, errors and samples that only one run has, however many'),
    new Option('--scorer <name>', 'only this scorer; repeatable').argParser(collect),
    new Option('--lower <name>', 'of this scorer a lower score is better; repeatable').argParser(collect),
    new Option('--eval <name>', 'the eval of @last, @prev, @main and tags (default: that of the other runs)'),
    sourceOption(),
    ...resultsOptions(),
  ],
  examples: [
    ['holdfast compare @prev @last', 'the newest run beside the one before it'],
    ['holdfast compare @main logs/x.eval --gate', 'in CI: fails when the run is worse'],
    ['holdfast compare KvkpiQSMQs tag:candidate --md', 'a report for a pull request'],
  ],
  exits: {
    0: 'compared',
    1: 'with --gate: a run is worse; or git failed',
    2: 'what was named is no run, or not two to six of them',
    3: 'a run is damaged',
  },
  async run({ args, flags, terminal }) {
    letHeapGrow();
    const given = args[0] ?? [];
    await using references = new RunReferences(flags, terminal);
    const runs = await references.open(typeof given === 'string' ? [given] : given);
    const comparison = await compareRuns(
      runs.map(({ name, log }) => ({ name, reader: readRunFromLog(log) })),
      { ...(flags.scorer && { scorers: flags.scorer }), ...(flags.lower && { lower: flags.lower }) },
    );
    if (flags.json) terminal.json(toJson(comparison));
    else {
      const shown = { isAll: flags.all ?? false };
      const lines = flags.md
        ? compareMarkdown(comparison, shown)
        : compareReport(comparison, terminal, shown);
      for (const line of lines) terminal.line(line);
    }
    const isWorse = comparison.after.some(({ verdict }) => verdict === 'worse');
    return flags.gate && isWorse ? EXIT.failed : EXIT.ok;
  },
});
