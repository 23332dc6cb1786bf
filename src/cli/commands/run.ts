import { Option } from 'commander';
import type { Shard } from '../../datasets/index.ts';
import { cacheOption, storeOptions } from '../artifacts/artifact-options.ts';
import { type CommandCall, defineCommand } from '../command.ts';
import { EXITS_WHILE_LOADING, type ExitCode } from '../exit-code.ts';
import { parseCount, parseCountUpTo, parseShard } from '../parse-values.ts';
import { type PublishFlags, publishOptions } from '../results/publish-options.ts';
import { type ResultsFlags, resultsOptions } from '../results/results-place.ts';
import {
  type ChangeFlags,
  isolateOption,
  limitOptions,
  modelOptions,
  sampleOptions,
} from '../run/change-options.ts';
import { budgetOption, logDirOption, type RunOptionFlags, runOptions } from '../run-options.ts';

export interface RunFlags extends ResultsFlags, RunOptionFlags, ChangeFlags, PublishFlags {
  readonly logDir: string;
  readonly segments?: string;
  readonly cache?: string;
  readonly store?: string | false;
  readonly reuse: 'same' | 'any';
  readonly fresh?: true;
  readonly keepOutputs?: true;
  readonly dryRun?: true;
  readonly forceDead?: true;
  readonly shard?: Shard;
  readonly concurrency?: number;
  readonly workers?: number;
  readonly workerSession?: true;
  readonly budget?: number;
}

/** Each is a process of this machine. */
const WORKERS_MAX = 1_000;

export const command = defineCommand<RunFlags>({
  summary: 'Run evals, or complete what earlier runs left',
  description: `Runs every eval on every model named, each as a run with its own log. What earlier runs of the
same eval completed is kept, what they had paid for is replayed, and only the rest is run; when
nothing is missing, nothing is done. Ctrl-C once stops after the samples under way, twice at once;
both can be gone on with by the same command.`,
  arguments: [['<files...>', 'eval files (*.eval.ts, .js, .yaml), folders or patterns']],
  options: [
    ...modelOptions(),
    logDirOption('where logs go: a path, or a bucket (s3://…, file://…)'),
    new Option('--segments <bucket>', 'also ship the journal there, to survive the loss of this machine'),
    cacheOption(),
    ...storeOptions(),
    new Option('--reuse <what>', 'which finished samples to take over')
      .choices(['same', 'any'])
      .default('same'),
    new Option('--fresh', 'buy everything anew: take nothing over from earlier runs').conflicts('reuse'),
    new Option('--keep-outputs', 'keep outputs although the code of the target has changed, and score them'),
    new Option(
      '--dry-run',
      'say what would be kept, scored anew, built and bought, and about what it costs; do nothing',
    ),
    new Option(
      '--force-dead',
      'go on with runs whose process cannot be seen from here (another machine, a lost machine’s segments in the bucket): you vouch that it is dead',
    ),
    ...sampleOptions(),
    new Option(
      '--shard <i/n>',
      'only slice i of n, for machines that each run one (a CI matrix, an array job); the same --limit, --shuffle and data give slices that have every sample once',
    ).argParser(parseShard),
    new Option('--concurrency <n>', 'samples at a time').argParser(parseCount),
    new Option(
      '--workers <n>',
      'run the samples in n processes: one that dies, or leaks memory, takes no other with it',
    ).argParser(parseCountUpTo(WORKERS_MAX)),
    isolateOption(),
    new Option('--worker-session', 'be one of these processes').hideHelp(),
    budgetOption(),
    ...limitOptions(),
    ...runOptions(),
    ...publishOptions(),
    ...resultsOptions(),
  ],
  examples: [
    ['holdfast run capitals.eval.ts -m openai/gpt-5', 'one eval on one model'],
    ['holdfast run evals/ -m openai/gpt-5 -m mock/echo', 'every eval of a folder on two models'],
    ['holdfast run "evals/**/*.eval.yaml" --limit 5', 'a first look at five samples of each'],
    ['holdfast run big.eval.ts --budget 20', 'stop when 20 dollars are spent; go on later'],
    ['holdfast run big.eval.ts --shard 3/8', 'the third of eight slices; each machine runs another'],
  ],
  exits: {
    0: 'every sample has a result, and every threshold is met',
    1: 'an eval fell short of its threshold, samples failed or were lost, or a scorer failed or scored nothing',
    2: 'the command line or an eval file is wrong; nothing was written',
    3: 'damage was found in stored files',
    4: 'interrupted (Ctrl-C, the budget, a full disk, calls that all fail, code of the eval), or the log is not in the bucket, or with --require-push not in the remote; the same command goes on',
    ...EXITS_WHILE_LOADING,
  },
  async run(call: CommandCall<RunFlags>): Promise<ExitCode> {
    const { runCommand } = await import('../run/run-command.ts');
    return runCommand(call);
  },
});
