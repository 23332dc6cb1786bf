import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:os';
import { ActionableError, type Clock, errnoOf, messageOf, type Random, shortId } from '../base/index.ts';
import { type Disk, openForProcess } from '../disk/index.ts';
import type { Env } from './open-model.ts';
import { findProcesses, killProcesses, signalGroup } from './process-tree.ts';

export interface ProcessOptions {
  /** Never through a shell: each item is one argument, whatever is in it. */
  readonly argv: readonly string[];
  readonly cwd: string;
  /** All that the process sees of the environment. */
  readonly env: Env;
  /** Files that the process reads and writes itself. `stdout` and `stderr` must not exist. */
  readonly files: { readonly stdin?: string; readonly stdout: string; readonly stderr: string };
  readonly disk: Disk;
  readonly clock: Clock;
  readonly random: Random;
  readonly signal: AbortSignal;
  readonly timeoutMs?: number;
  /** How long processes may take to end by themselves after SIGTERM. Default 2 s. */
  readonly graceMs?: number;
  /** Also look for processes that left the group when it ended by itself: worth its time for agents. */
  readonly sweep?: boolean;
}

export interface ProcessEnd {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly timedOut: boolean;
  /** The signal was aborted while it ran. */
  readonly aborted: boolean;
  /** Processes that had to be ended because they outlived the command or its time. */
  readonly killed: number;
}

/** Processes that we start carry it, and hand it down to all they start; so none can hide by leaving its group. */
export const MARKER_VARIABLE = 'HOLDFAST_PROCESS';

const GRACE_MS = 2_000;

/**
 * Runs a command in a process group of its own and waits until all of it is gone. At the time limit, or when the signal
 * is aborted, the whole tree gets SIGTERM and, after the grace period, SIGKILL. Rejects only when the command cannot be
 * started; everything else is told by the result.
 */
export async function runProcess(options: ProcessOptions): Promise<ProcessEnd> {
  const { files, signal } = options;
  signal.throwIfAborted();
  await using stdin = files.stdin === undefined ? undefined : await openForProcess(files.stdin, 'read');
  await using stdout = await openForProcess(files.stdout, 'create');
  await using stderr = await openForProcess(files.stderr, 'create');
  const marker = shortId(options.random);
  const child = await start(options, { marker, stdio: [stdin?.fd ?? 'ignore', stdout.fd, stderr.fd] });
  return waitForEnd(child, marker, options);
}

/** The shell's way of putting an end by a signal into an exit code. */
export function exitCodeOf({ exitCode, signal }: Pick<ProcessEnd, 'exitCode' | 'signal'>): number {
  return exitCode ?? 128 + (signal ? (constants.signals[signal] ?? 0) : 0);
}

interface Started {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly exited: Promise<Pick<ProcessEnd, 'exitCode' | 'signal'>>;
}

function start(
  { argv, cwd, env }: ProcessOptions,
  { marker, stdio }: { readonly marker: string; readonly stdio: readonly (number | 'ignore')[] },
): Promise<Started> {
  const [command = '', ...args] = argv;
  const child = spawn(command, args, {
    cwd,
    env: { ...env, [MARKER_VARIABLE]: marker },
    stdio: [...stdio],
    detached: true,
    windowsHide: true,
  });
  const exited = new Promise<Pick<ProcessEnd, 'exitCode' | 'signal'>>((resolve) => {
    child.once('exit', (exitCode, signal) => resolve({ exitCode, signal }));
  });
  return new Promise((resolve, reject) => {
    child.on('error', (error) => reject(cannotStart(command, error)));
    child.once('spawn', () => resolve({ child, pid: child.pid as number, exited }));
  });
}

async function waitForEnd(started: Started, marker: string, options: ProcessOptions): Promise<ProcessEnd> {
  const { clock, signal, timeoutMs, disk, graceMs = GRACE_MS, sweep = false } = options;
  const over = new AbortController();
  let timedOut = false;
  const timer =
    timeoutMs === undefined
      ? undefined
      : clock.sleep(timeoutMs, over.signal).then(
          () => {
            timedOut = true;
          },
          // It is over before its time.
          () => undefined,
        );
  const aborted = new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true, signal: over.signal });
  });
  await Promise.race([started.exited, aborted, ...(timer ? [timer] : [])]);
  over.abort();
  const mustStop = timedOut || signal.aborted;
  const tree = { pid: started.pid, marker, disk, clock, graceMs };
  const isLooking = mustStop || sweep || signalGroup(started.pid, 0);
  const killed = isLooking ? await killProcesses(tree, () => findProcesses(tree)) : 0;
  return { ...(await started.exited), timedOut, aborted: signal.aborted, killed };
}

function cannotStart(command: string, error: Error): ActionableError {
  const isMissing = errnoOf(error) === 'ENOENT';
  return new ActionableError({
    code: isMissing ? 'E_COMMAND_NOT_FOUND' : 'E_COMMAND_START',
    message: isMissing
      ? `The command "${command}" was not found.`
      : `The command "${command}" could not be started: ${messageOf(error)}.`,
    hint: isMissing
      ? 'Install it, or give its full path; PATH is the one that Holdfast was started with.'
      : 'Check that the file is executable and that its arguments are not too long (use stdin for long prompts).',
    cause: error,
  });
}
