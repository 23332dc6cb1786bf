import { Option } from 'commander';
import { cacheOption } from '../artifacts/artifact-options.ts';
import { defineCommand } from '../command.ts';
import { EXITS_WHILE_LOADING } from '../exit-code.ts';
import { parseCount, parseUsd } from '../parse-values.ts';
import { type PublishFlags, publishOptions } from '../results/publish-options.ts';
import { type ResultsFlags, resultsOptions } from '../results/results-place.ts';
import { logDirOption } from '../run-options.ts';

export interface ScoreFlags extends ResultsFlags, PublishFlags {
  readonly logDir: string;
  readonly cache?: string;
  readonly eval: string;
  readonly output?: string;
  readonly action: 'overwrite' | 'append';
  readonly prices?: string;
  readonly baseUrl?: string;
  readonly concurrency?: number;
  readonly budget?: number;
  readonly allowUnpriced?: true;
}

export const command = defineCommand<ScoreFlags>({
  summary: 'Score a log again without calling its target',
  description: `Runs the scorers of an eval file on the outputs that a log holds, and writes a new log beside it, or
into the log directory when they are those of a published run.
The target is not called; graders are, when the eval has some.`,
  arguments: [['<log>', 'the log to score: a path, its URL in a bucket, or the id of a published run']],
  options: [
    new Option('--eval <file>', 'the eval file whose scorers are used').makeOptionMandatory(),
    new Option('-o, --output <log>', 'the log to write (default: <log>-scored.eval)'),
    new Option('--action <what>', 'whether new scores replace the old ones or join them')
      .choices(['overwrite', 'append'])
      .default('overwrite'),
    new Option('--concurrency <n>', 'samples at a time (default: 20)').argParser(parseCount),
    new Option('--budget <usd>', 'stop when graders have cost this much, over all attempts at it').argParser(
      parseUsd,
    ),
    new Option('--allow-unpriced', 'go on with a budget although the price of a grader is not known'),
    new Option('--base-url <url>', 'where graders of openai-compatible/… are served'),
    new Option(
      '--prices <file>',
      'prices (JSON or YAML) that add to the built-in ones and to those of the project and the eval',
    ),
    ...publishOptions(),
    logDirOption('where the new log of a published run goes'),
    cacheOption(),
    ...resultsOptions(),
  ],
  examples: [
    ['holdfast score logs/x.eval --eval capitals.eval.ts', 'replace the scores'],
    ['holdfast score logs/x.eval --eval strict.eval.ts --action append', 'keep the old ones beside'],
    ['holdfast score KvkpiQSMQs --eval capitals.eval.ts', 'score a published run'],
  ],
  exits: {
    0: 'scored',
    1: 'a scorer failed or scored nothing, or the log could not be scored',
    2: 'the file is no log, or the command line or the eval file is wrong; nothing was written',
    3: 'the log is damaged',
    4: 'interrupted, or the budget is spent: no log was written, and what graders answered is kept; or with --require-push the log is not in the remote',
    ...EXITS_WHILE_LOADING,
  },
  async run(call) {
    const { scoreCommand } = await import('../run/score-command.ts');
    return scoreCommand(call);
  },
});
