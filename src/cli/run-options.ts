import { Option } from 'commander';
import { collect, parseCount, parseDuration, parseUsd } from './parse-values.ts';

/** What the options of `runOptions` give. */
export interface RunOptionFlags {
  readonly attempts?: number;
  readonly baseUrl?: string;
  readonly prices?: string;
  readonly allowUnpriced?: true;
  readonly grace?: number;
  readonly redact?: readonly string[];
  readonly quiet?: true;
}

/** Money: for the commands that run samples. What counts is said here, in the guide and in the account in the same way. */
export function budgetOption(): Option {
  return new Option(
    '--budget <usd>',
    'stop, resumable, when the runs have cost this much over all attempts at them; overrides budgetUsd of the evals',
  ).argParser(parseUsd);
}

/** For the commands that write logs. */
export function logDirOption(summary: string): Option {
  return new Option('--log-dir <dir>', summary).default('logs');
}

/** How a run goes: for the commands that run samples. */
export function runOptions(): readonly Option[] {
  return [
    new Option('--attempts <n>', 'go on by itself, with pauses, until nothing is missing').argParser(
      parseCount,
    ),
    new Option('--base-url <url>', 'where models of openai-compatible/… are served'),
    new Option(
      '--prices <file>',
      'prices (JSON or YAML) that add to the built-in ones and to those of the project and the eval',
    ),
    new Option('--allow-unpriced', 'go on with a budget although the price of a model is not known'),
    new Option('--grace <duration>', 'how long Ctrl-C lets running samples finish (default: 30s)').argParser(
      parseDuration,
    ),
    new Option(
      '--redact <text>',
      'never keep this text, or what the pattern /…/ finds, and never show it to the target; repeatable',
    ).argParser(collect),
    new Option('--quiet', 'show no progress'),
  ];
}
