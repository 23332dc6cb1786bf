import { Option } from 'commander';
import { definedOf } from '../../base/index.ts';
import type { SampleLimits } from '../../evals/index.ts';
import type { EvalChanges } from '../../runner/index.ts';
import {
  collect,
  parseCount,
  parseErrorsAllowed,
  parseNatural,
  parsePeriod,
  parseUsd,
} from '../parse-values.ts';

/** What a command line may change in the evals that it names. */
export interface ChangeFlags {
  readonly model?: readonly string[];
  readonly target?: readonly string[];
  readonly limit?: number;
  readonly epochs?: number;
  readonly shuffle?: number | true;
  readonly id?: readonly string[];
  readonly retries?: number;
  readonly failOnError?: number | true;
  readonly isolate?: true;
  readonly timeLimit?: number;
  readonly workingLimit?: number;
  readonly tokenLimit?: number;
  readonly costLimit?: number;
  readonly turnLimit?: number;
  readonly messageLimit?: number;
}

export function modelOptions(): readonly Option[] {
  return [
    new Option('-m, --model <name>', 'model to run on, such as openai/gpt-5; repeatable').argParser(collect),
    new Option('-t, --target <name>', 'the same as --model').argParser(collect),
  ];
}

/** Which samples. */
export function sampleOptions(): readonly Option[] {
  return [
    new Option('--limit <n>', 'only the first n samples').argParser(parseCount),
    new Option('--id <id...>', 'only the samples with these ids'),
    new Option('--shuffle [seed]', 'shuffle the samples (seed 0 unless given)').argParser(parseNatural),
    new Option('--epochs <n>', 'how often each sample is run').argParser(parseCount),
  ];
}

export function limitOptions(): readonly Option[] {
  return [
    new Option('--retries <n>', 'tries of a sample that fails with an error').argParser(parseNatural),
    new Option('--fail-on-error [n]', 'stop at the first error, or beyond a count or share').argParser(
      parseErrorsAllowed,
    ),
    new Option('--time-limit <duration>', 'per sample, such as 30s or 5m').argParser(parsePeriod),
    new Option('--working-limit <duration>', 'per sample, without waiting for slots and retries').argParser(
      parsePeriod,
    ),
    new Option('--token-limit <n>', 'per sample').argParser(parseCount),
    new Option('--cost-limit <usd>', 'per sample').argParser(parseUsd),
    new Option('--turn-limit <n>', 'per sample').argParser(parseCount),
    new Option('--message-limit <n>', 'per sample').argParser(parseCount),
  ];
}

/** Also where the eval itself does not ask for it. */
export function isolateOption(): Option {
  return new Option(
    '--isolate',
    'run each sample in a process of its own: what crashes or leaks takes no other with it',
  );
}

export function modelsOf({ model = [], target = [] }: ChangeFlags): readonly string[] {
  return [...model, ...target];
}

export function changesOf(flags: ChangeFlags): EvalChanges {
  return definedOf({
    limit: flags.limit,
    epochs: flags.epochs,
    shuffle: flags.shuffle === true ? 0 : flags.shuffle,
    ids: flags.id,
    retries: flags.retries,
    failOnError: flags.failOnError,
    isolate: flags.isolate,
    limits: limitsOf(flags),
  });
}

function limitsOf(flags: ChangeFlags): SampleLimits | undefined {
  const limits: SampleLimits = definedOf({
    timeMs: flags.timeLimit,
    workingMs: flags.workingLimit,
    tokens: flags.tokenLimit,
    costUsd: flags.costLimit,
    turns: flags.turnLimit,
    messages: flags.messageLimit,
  });
  return Object.keys(limits).length === 0 ? undefined : limits;
}
