import { Option } from 'commander';
import { counted, toJson } from '../../base/index.ts';
import { nodeDisk } from '../../disk/index.ts';
import type { PushOutcome, ResultsStore } from '../../results/index.ts';
import { placesOf } from '../../runner/index.ts';
import { defineCommand } from '../command.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { publishLogs } from '../results/publish-logs.ts';
import { type ResultsFlags, resultsOf, resultsOptions } from '../results/results-place.ts';
import { upkeepInBackground } from '../results/upkeep-in-background.ts';
import type { Terminal } from '../terminal.ts';

interface SyncFlags extends ResultsFlags {
  readonly push: boolean;
  readonly publish: boolean;
  readonly logDir: string;
}

export const command = defineCommand<SyncFlags>({
  summary: 'Bring results from the remote, and send what waits here',
  description: `Publishes what the log directory has and the results lack, fetches what others published, and pushes what the remote has not got. When others push at the same moment, theirs and ours are united:
nothing is ever forced or lost. Lists show what was fetched at once; your branches and files are not touched.`,
  options: [
    new Option('--no-push', 'only bring: nothing leaves this machine'),
    new Option('--no-publish', 'publish nothing of the log directory'),
    new Option('--log-dir <dir>', 'the log directory').default('logs'),
    ...resultsOptions(),
  ],
  examples: [
    ['holdfast results sync', 'both ways'],
    ['holdfast results sync --no-push', 'only bring what others have published'],
  ],
  exits: {
    0: 'the remote and we have the same',
    1: 'git failed, or the remote refused',
    2: 'there are no results yet, or no such remote',
    4: 'the remote cannot be reached: what waits here is kept',
  },
  async run({ flags, terminal }) {
    await using results = await resultsOf(flags, terminal);
    // Of a clone that was made for one branch, results are known only now.
    const fetched = await fetchOrSay(results, terminal);
    const unread = await results.unread();
    for (const { error } of unread)
      terminal.note(terminal.noteStyle.warn(`${error.message} It is not read.`));
    await results.tree();
    const published = flags.publish ? await publishWaiting(results, flags, terminal) : 0;
    const before = await results.waiting();
    const pushed = flags.push && fetched !== 'away' ? await results.push() : undefined;
    const waiting = await results.waiting();
    const sent = pushed?.outcome === 'pushed' ? Math.max(before - waiting, 0) : 0;
    if (flags.json)
      terminal.json(toJson({ published, fetched, ...pushed, error: problemOf(pushed), sent, waiting }));
    else
      for (const line of report(
        { published, fetched: unread.length > 0 ? 'not read' : fetched, pushed, sent, waiting },
        terminal,
      ))
        terminal.line(line);
    await upkeepInBackground(results, terminal);
    return unread.length > 0 ? EXIT.failed : exitOf(fetched, pushed);
  },
});

/** What a crash kept from being published, or nobody published yet: as a run would. */
async function publishWaiting(
  results: ResultsStore,
  { logDir }: SyncFlags,
  terminal: Terminal,
): Promise<number> {
  const sealed = await placesOf(nodeDisk, { logDir, workDir: terminal.cwd });
  const progress = { runs: [], waiting: 0 };
  const failure = await publishLogs(sealed, { results, progress, terminal });
  if (failure) terminal.note(terminal.noteStyle.warn(`${failure.message} ${failure.hint}`));
  return progress.runs.length;
}

/** Offline is normal: it is said, and what is here is listed all the same. */
async function fetchOrSay(
  results: ResultsStore,
  { note, noteStyle }: Terminal,
): Promise<boolean | 'away' | 'no remote'> {
  try {
    return (await results.fetch()) ?? 'no remote';
  } catch (error) {
    if (!isAway(error)) throw error;
    note(noteStyle.warn(error.message));
    return 'away';
  }
}

function isAway(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && error.code === 'E_REMOTE_AWAY';
}

interface Synced {
  readonly published: number;
  readonly fetched: boolean | 'away' | 'no remote' | 'not read';
  readonly pushed: PushOutcome | undefined;
  readonly sent: number;
  readonly waiting: number;
}

function report({ published, fetched, pushed, sent, waiting }: Synced, { style }: Terminal): string[] {
  const lines = published > 0 ? [`Published ${counted(published, 'run')}.`] : [];
  if (fetched === 'no remote')
    return [
      ...lines,
      style.warn('The repository of the results has no remote: nothing was brought or sent.'),
    ];
  if (fetched === true) lines.push('Brought what the remote has.');
  if (fetched === false) lines.push('The remote has no results yet.');
  if (pushed?.outcome === 'pushed')
    lines.push(style.good(sent > 0 ? `Sent ${counted(sent, 'run')}.` : 'Sent what was said of runs.'));
  if (pushed?.outcome === 'current') lines.push('There was nothing to send.');
  if (pushed?.error) lines.push(style.bad(pushed.error.message), pushed.error.hint ?? '');
  if (waiting > 0)
    lines.push(style.warn(`${counted(waiting, 'run')} ${waiting === 1 ? 'waits' : 'wait'} to be sent.`));
  return lines;
}

function problemOf(pushed: PushOutcome | undefined) {
  return pushed?.error && { code: pushed.error.code, message: pushed.error.message, hint: pushed.error.hint };
}

function exitOf(fetched: Synced['fetched'], pushed: PushOutcome | undefined): ExitCode {
  if (fetched === 'away' || pushed?.outcome === 'offline') return EXIT.interrupted;
  return pushed?.outcome === 'refused' ? EXIT.failed : EXIT.ok;
}
