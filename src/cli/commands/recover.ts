import { Option } from 'commander';
import { type CommandCall, defineCommand } from '../command.ts';
import type { ExitCode } from '../exit-code.ts';
import { parseLimit } from '../parse-values.ts';
import { type PublishFlags, publishOptions } from '../results/publish-options.ts';
import { type ResultsFlags, resultsOptions } from '../results/results-place.ts';

export interface RecoverFlags extends ResultsFlags, PublishFlags {
  readonly list?: true;
  readonly output?: string;
  readonly overwrite?: true;
  readonly keep?: true;
  /** False with --no-events. */
  readonly events: boolean;
  readonly incomplete: 'retry' | 'error';
  readonly incompleteMax?: number;
  readonly forceDead?: true;
  readonly logDir?: string;
  readonly segments?: string;
}

export const command = defineCommand<RecoverFlags>({
  summary: 'Turn whatever a crash left into a finished log: ours or Inspect’s',
  description: `Collects what is left of a run that died (its journal, segments, buffer database, .buffer folder, the
samples already in its log) and writes it as one finished log beside the crashed one. Sources are
deleted only after the new log was read back and checked. A run that is alive is never touched.`,
  arguments: [
    ['[log]', 'a log, a run id, a journal, a buffer database or a .buffer folder; with --list a directory'],
  ],
  options: [
    new Option('--list', 'list what can be recovered in a directory or bucket').conflicts([
      'output',
      'overwrite',
      'keep',
      'incompleteMax',
      'forceDead',
    ]),
    new Option('-o, --output <log>', 'the log to write (default: <log>-recovered.eval)'),
    new Option('--overwrite', 'put the recovered log in the place of the crashed one'),
    new Option(
      '--keep',
      'leave what it was recovered from where it is; a later run moves it to .holdfast/kept',
    ),
    new Option('--no-events', 'leave the transcripts out, to keep the log small'),
    new Option('--incomplete <what>', 'samples that were running: run them again later, or end them')
      .choices(['retry', 'error'])
      .default('retry'),
    new Option('--incomplete-max <n>', 'how many may be ended: a count, or a share below 1').argParser(
      parseLimit,
    ),
    new Option('--force-dead', 'you know that its process is dead, although that cannot be told from here'),
    new Option('--log-dir <dir>', 'where runs of Holdfast are (default: "logs")'),
    new Option('--segments <bucket>', 'where the segments of a run of Holdfast are'),
    ...publishOptions(),
    ...resultsOptions(),
  ],
  examples: [
    ['holdfast recover --list', 'what can be recovered in ./logs'],
    ['holdfast recover logs/x.eval', 'writes logs/x-recovered.eval'],
    ['holdfast recover logs/x.eval --keep --no-events', 'a small log; the sources stay'],
    ['holdfast recover 20260102T… --segments /mnt/bucket', 'a run whose machine is gone'],
  ],
  exits: {
    0: 'recovered; nothing is damaged or missing',
    1: 'not recovered: nothing crashed, or it is (or may be) alive; nothing was touched',
    2: 'the command line is wrong, or what it names is no log; nothing was touched',
    3: 'damage was found and is listed; what could be read was recovered',
    4: 'recovered, but with --require-push the log is not in the remote; publish and push it later',
  },
  async run(call: CommandCall<RecoverFlags>): Promise<ExitCode> {
    const { recoverCommand } = await import('../recover/recover-command.ts');
    return recoverCommand(call);
  },
});
