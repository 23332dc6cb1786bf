import { Option } from 'commander';
import { cacheOption } from '../artifacts/artifact-options.ts';
import { type CommandCall, defineCommand } from '../command.ts';
import { EXITS_WHILE_LOADING, type ExitCode } from '../exit-code.ts';
import { collect, parseCount } from '../parse-values.ts';
import { type PublishFlags, publishOptions } from '../results/publish-options.ts';
import {
  type ChangeFlags,
  isolateOption,
  limitOptions,
  modelOptions,
  sampleOptions,
} from '../run/change-options.ts';
import { budgetOption, logDirOption } from '../run-options.ts';
import { type LaunchFlags, launchOptions } from '../shared/launch-options.ts';
import { bucketOption, queueOption } from '../shared/shared-options.ts';
import { WAIT_EXITS } from '../shared/wait-exits.ts';
import { waitOptions } from '../shared/wait-options.ts';

export interface SubmitFlags extends LaunchFlags, ChangeFlags, PublishFlags {
  readonly allowDirty?: true;
  readonly key?: readonly string[];
  readonly lostMax: number;
  readonly logDir: string;
  readonly cache?: string;
  readonly reuse: 'same' | 'any';
  readonly fresh?: true;
  readonly again?: true;
  readonly keepOutputs?: true;
  readonly budget?: number;
  readonly baseUrl?: string;
  readonly prices?: string;
  readonly allowUnpriced?: true;
  readonly timeout?: number;
  readonly progress?: number | boolean;
  readonly quiet?: true;
}

export const command = defineCommand<SubmitFlags>({
  summary: 'Hand evals to workers on many machines, wait for them and bring the log home',
  description: `Puts each eval on each model into the bucket as a shared run, with the code that it needs, and its samples into the queue. Then waits until
workers ("holdfast worker", anywhere) have run them, and fetches the log. Everything that can be refused is refused before anything is uploaded.
Ctrl-C ends the waiting; the run goes on.`,
  arguments: [['<files...>', 'eval files (*.eval.ts, .js, .yaml), folders or patterns']],
  options: [
    ...modelOptions(),
    queueOption(),
    bucketOption(),
    new Option('--detach', 'return when the runs are in the queue'),
    ...launchOptions(),
    new Option('--allow-dirty', 'also with --detach: submit code that no commit holds; the run is marked'),
    new Option(
      '--key <variable>',
      'a variable that the code needs besides the keys of its models; repeatable',
    ).argParser(collect),
    new Option('--lost-max <n>', 'set a sample aside after it lost this many workers')
      .argParser(parseCount)
      .default(3),
    isolateOption(),
    logDirOption('where logs go'),
    cacheOption(),
    new Option('--reuse <what>', 'which finished samples to take over')
      .choices(['same', 'any'])
      .default('same'),
    new Option('--fresh', 'buy everything anew: take nothing over from earlier runs').conflicts('reuse'),
    new Option('--again', 'submit it although the same was submitted before and is not home yet'),
    new Option('--keep-outputs', 'keep outputs although the code of the target has changed, and score them'),
    ...sampleOptions(),
    budgetOption(),
    ...limitOptions(),
    new Option('--base-url <url>', 'where models of openai-compatible/… are served'),
    new Option('--prices <file>', 'prices (JSON or YAML) that add to the built-in ones'),
    new Option('--allow-unpriced', 'go on with a budget although the price of a model is not known'),
    ...waitOptions(),
    ...publishOptions(),
  ],
  examples: [
    [
      'holdfast submit big.eval.ts -m openai/gpt-5 --queue redis://queue.local --bucket s3://team/evals',
      'run it on the workers that are there',
    ],
    ['holdfast submit evals/ --detach', 'submit, and come back later: holdfast runs list'],
  ],
  exits: { ...WAIT_EXITS, ...EXITS_WHILE_LOADING },
  isOfShared: true,
  async run(call: CommandCall<SubmitFlags>): Promise<ExitCode> {
    return (await import('../shared/submit-command.ts')).submitCommand(call);
  },
});
