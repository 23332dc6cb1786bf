import { Option } from 'commander';
import { cacheOption, storeOptions } from '../artifacts/artifact-options.ts';
import { type CommandCall, defineCommand } from '../command.ts';
import { EXITS_WHILE_LOADING, type ExitCode } from '../exit-code.ts';
import { parseCount } from '../parse-values.ts';
import { type PublishFlags, publishOptions } from '../results/publish-options.ts';
import { type ResultsFlags, resultsOptions } from '../results/results-place.ts';
import { budgetOption, logDirOption, type RunOptionFlags, runOptions } from '../run-options.ts';

export interface RetryFlags extends ResultsFlags, RunOptionFlags, PublishFlags {
  readonly cache?: string;
  readonly store?: string | false;
  readonly logDir: string;
  readonly eval?: string;
  readonly model?: string;
  readonly segments?: string;
  readonly concurrency?: number;
  readonly budget?: number;
  readonly workerSession?: true;
}

export const command = defineCommand<RetryFlags>({
  summary: 'Run only what is missing or failed in a log',
  description: `For a log of Holdfast: runs the eval file that it names again, with the same model, samples, epochs and
limits. What the log holds is taken over, and only what is missing or failed is run; the new log
stands beside the old one, or in the log directory when a published run was named. For a log of Inspect: says which command goes on with it, and recovers it
first when it is unfinished.`,
  arguments: [['<log>', 'the log to go on with: a path, its URL in a bucket, or the id of a published run']],
  options: [
    new Option('--eval <file>', 'the eval file, when it is no longer where the log says'),
    new Option('-m, --model <name>', 'another model than the log’s; then everything is run'),
    new Option('--segments <bucket>', 'also ship the journal there, to survive the loss of this machine'),
    new Option('--concurrency <n>', 'samples at a time').argParser(parseCount),
    new Option('--worker-session', 'be a process that it runs samples in').hideHelp(),
    cacheOption(),
    ...storeOptions(),
    budgetOption(),
    ...runOptions(),
    ...publishOptions(),
    logDirOption('where the new log of a published run goes'),
    ...resultsOptions(),
  ],
  examples: [
    ['holdfast retry logs/x.eval', 'run what failed or was never run'],
    ['holdfast retry logs/x.eval --eval evals/moved.eval.ts', 'the eval file has moved'],
  ],
  exits: {
    0: 'every sample has a result; or, for a log of Inspect, the command was printed',
    1: 'samples or a scorer failed again, or the eval fell short',
    2: 'there is no such log, the eval file is gone, or the command line is wrong; nothing was written',
    3: 'damage was found',
    4: 'interrupted, or with --require-push the log is not in the remote; the same command goes on',
    ...EXITS_WHILE_LOADING,
  },
  async run(call: CommandCall<RetryFlags>): Promise<ExitCode> {
    const { retryCommand } = await import('../recover/retry-command.ts');
    return retryCommand(call);
  },
});
