import { Option } from 'commander';
import { type CommandCall, defineCommand } from '../command.ts';
import type { ExitCode } from '../exit-code.ts';
import { parseCountUpTo, parseDays, parsePeriod } from '../parse-values.ts';
import { bucketOption, queueOption, type SharedFlags } from '../shared/shared-options.ts';

export interface WorkerFlags extends SharedFlags {
  readonly slots?: number;
  readonly dir?: string;
  readonly keysFile?: string;
  readonly idleExit?: number;
  readonly maxRuntime?: number;
  readonly keepBundles?: number;
  readonly hangMax?: number;
  readonly label?: string;
  readonly launchedFor?: string;
  readonly session?: true;
}

/** Long enough for a program that is waited for without letting go (`execSync`); an endless loop is found out all the same. */
const HANG_MAX_MS = 5 * 60_000;

/** Each is a sample that is under way in one process. */
const SLOTS_MAX = 10_000;

export const command = defineCommand<WorkerFlags>({
  summary: 'Run samples of shared runs on this machine',
  description: `Takes samples and builds of shared runs ("holdfast submit") from the queue, as many at a time as it has slots, and keeps
every answer in the bucket. Any number of workers on any machines work side by side; one that dies takes nothing with it.
Ctrl-C or SIGTERM gives back within seconds what it has. The code of each run comes from its bundle and runs in a process of its own.`,
  options: [
    queueOption(),
    bucketOption(),
    new Option('--slots <n>', 'samples at a time').argParser(parseCountUpTo(SLOTS_MAX)).default(4),
    new Option(
      '--dir <dir>',
      'where bundles, journals and artifacts are kept (default: with the data of the user)',
    ),
    new Option('--keys-file <file>', 'a file of mode 0600 with keys of models (NAME=value)'),
    new Option('--idle-exit <duration>', 'end when there was nothing to do for this long').argParser(
      parsePeriod,
    ),
    new Option('--max-runtime <duration>', 'give back what it has, and end, after this long').argParser(
      parsePeriod,
    ),
    new Option(
      '--keep-bundles <days>',
      'remove installed bundles that no run needed for this long, such as 7d',
    )
      .argParser(parseDays)
      .default(7 * 86_400_000, '7d'),
    new Option(
      '--hang-max <duration>',
      'end a process of a run whose code keeps it from answering for this long',
    )
      .argParser(parsePeriod)
      .default(HANG_MAX_MS, '5m'),
    new Option('--label <label>', 'what it is found by, on the machine and in the bucket'),
    new Option('--launched-for <run>', 'end when whoever launched it for this run says so').hideHelp(),
    new Option('--session', 'be the process that runs the code of one run').hideHelp(),
  ],
  examples: [
    ['holdfast worker --queue redis://queue.local --bucket s3://team/evals', 'until it is told to go'],
    ['holdfast worker --slots 16 --idle-exit 10m', 'queue and bucket of holdfast.config or the environment'],
  ],
  exits: {
    0: 'it was told to go, or had nothing to do for long enough; nothing of it is left running',
    1: 'it failed',
    2: 'the command line is wrong, or queue or bucket cannot be used',
  },
  async run(call: CommandCall<WorkerFlags>): Promise<ExitCode> {
    if (call.flags.session) return (await import('../shared/session-command.ts')).serveAsSession(call);
    return (await import('../shared/worker-command.ts')).workerCommand(call);
  },
});
