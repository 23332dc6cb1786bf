import { Option } from 'commander';
import { collect } from './parse-values.ts';

/** For the commands that run samples. */
export function redactOption(): Option {
  return new Option(
    '--redact <text>',
    'never keep this text, or what the pattern /…/ finds, and never show it to the target; repeatable',
  ).argParser(collect);
}
