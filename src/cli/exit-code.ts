import { ActionableError, DamageError, UsageError } from '../base/index.ts';

/** What the shell learns. Every command's help lists those it can end with. */
export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  damage: 3,
  interrupted: 4,
  // Of a shared run that somebody waits for.
  samplesFailed: 5,
  cancelled: 6,
  stalled: 7,
  timedOut: 8,
  unknown: 9,
} as const;

/** Of commands that load evals: nobody else could end a loop in their code that never ends. */
export const EXITS_WHILE_LOADING = {
  130: 'ended by Ctrl-C (143: by SIGTERM) while code of evals was loaded; nothing was begun',
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** An empty purse, a full disk and a server that is away are no failures: the run goes on when that is over. */
const RESUMABLE: ReadonlySet<string> = new Set(['E_BUDGET_EXHAUSTED', 'E_DISK_FULL', 'E_CALLS_FAIL']);

/** What stops a run without being its fault, or its end: the same command goes on from what is there. */
const RUN_RESUMABLE: ReadonlySet<string> = new Set([
  ...RESUMABLE,
  'E_BUCKET_AWAY',
  'E_DISK_IO',
  'E_JOURNAL_VANISHED',
  'E_LOG_DIR_GONE',
  'E_REUSED_GONE',
  'E_WRITER_FENCED',
]);

/** The wrong thing was named: there is no log there to be damaged. */
const NAMED_WRONG: ReadonlySet<string> = new Set([
  'E_LOG_NOT_FOUND',
  'E_LOG_FOREIGN',
  'E_LOG_IS_DIRECTORY',
  'E_RECOVER_NOTHING',
  'E_RECOVER_DIRECTORY',
]);

/** Workers that could not be launched, or not be stopped: their run is known. */
const LAUNCH_FAILED: ReadonlySet<string> = new Set([
  'E_LAUNCH_START',
  'E_LAUNCH_STOPPED',
  'E_LAUNCH_STOP',
  'E_LAUNCH_ABANDONED',
]);

export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof UsageError) return EXIT.usage;
  if (error instanceof ActionableError && NAMED_WRONG.has(error.code)) return EXIT.usage;
  if (error instanceof DamageError) return EXIT.damage;
  if (error instanceof ActionableError && RESUMABLE.has(error.code)) return EXIT.interrupted;
  return EXIT.failed;
}

/**
 * The same for commands about shared runs, whose codes say what became of a run: an error that tells nothing of it (a bucket that is away or denies,
 * our own bug) reads as unknown, and never as one of its ends.
 */
export function exitCodeOfShared(error: unknown, exits: Readonly<Record<number, string>>): ExitCode {
  const exitCode = exitCodeOf(error);
  const isOfLaunch = error instanceof ActionableError && LAUNCH_FAILED.has(error.code);
  if (exitCode === EXIT.failed) return isOfLaunch ? EXIT.failed : EXIT.unknown;
  return exitCode in exits ? exitCode : EXIT.unknown;
}

/** The same for what a run stopped with. */
export function exitCodeOfRun(error: unknown): ExitCode {
  if (error instanceof ActionableError && RUN_RESUMABLE.has(error.code)) return EXIT.interrupted;
  return exitCodeOf(error);
}
