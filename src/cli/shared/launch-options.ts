import { Option } from 'commander';
import { parseCountUpTo } from '../parse-values.ts';
import type { SharedFlags } from './shared-options.ts';

export interface LaunchFlags extends SharedFlags {
  readonly launch?: string;
  readonly launchWorkers?: number;
  readonly detach?: true;
}

/** More than any queue of a cluster takes at once. */
const WORKERS_MAX = 10_000;

/** For the commands that put runs into the queue. */
export function launchOptions(): readonly Option[] {
  return [
    new Option(
      '--launch <name>',
      'start workers as "launch" in holdfast.config says, and stop them at the end',
    ),
    new Option('--launch-workers <n>', 'how many of them').argParser(parseCountUpTo(WORKERS_MAX)),
  ];
}

/** What is said at the first Ctrl-C of whoever waits for runs. */
export function stoppingText({ launch }: LaunchFlags): string {
  return launch === undefined
    ? 'Not waiting any more. What was submitted goes on: "holdfast runs list".'
    : 'Stopping: the workers that were launched are stopped. Go on with "holdfast runs resume". Ctrl-C again does not wait until they are.';
}
