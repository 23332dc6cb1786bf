import { Option } from 'commander';
import { collect, parseCount, parseDuration } from './parse-values.ts';

/** What the options of `runOptions` give. */
export interface RunOptionFlags {
  readonly attempts?: number;
  readonly baseUrl?: string;
  readonly prices?: string;
  readonly grace?: number;
  readonly redact?: readonly string[];
  readonly quiet?: true;
}

/** How a run goes: for the commands that run samples. */
export function runOptions(): readonly Option[] {
  return [
    new Option('--attempts <n>', 'go on by itself, with pauses, until nothing is missing').argParser(
      parseCount,
    ),
    new Option('--base-url <url>', 'where models of openai-compatible/… are served'),
    new Option('--prices <file>', 'prices that add to the built-in ones (JSON or YAML)'),
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
