import { Option } from 'commander';
import { parsePeriod } from '../parse-values.ts';

/** How long somebody waits for shared runs, and whether progress is shown meanwhile. */
export function waitOptions(): readonly Option[] {
  return [
    new Option('--timeout <duration>', 'stop waiting after this long').argParser(parsePeriod),
    new Option('--no-progress <duration>', 'stop waiting when nothing ended for this long').argParser(
      parsePeriod,
    ),
    new Option('--quiet', 'show no progress'),
  ];
}
