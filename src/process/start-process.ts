import { type ChildProcess, type IOType, spawn } from 'node:child_process';
import { ActionableError, type Clock, errnoOf, messageOf, type Random, shortId } from '../base/index.ts';
import type { Disk } from '../disk/index.ts';
import { findProcesses, killProcesses, signalGroup } from './process-tree.ts';
import { MARKER_VARIABLE, markerBelow, noteEnded, noteStarted } from './started-trees.ts';

/** All that a process sees of the environment. */
export type ProcessEnv = Readonly<Record<string, string | undefined>>;

/** What every way to run a program asks for. */
export interface ProcessSettings {
  /** Never through a shell: each item is one argument, whatever is in it. */
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: ProcessEnv;
  readonly disk: Disk;
  readonly clock: Clock;
  readonly random: Random;
  readonly signal: AbortSignal;
  readonly timeoutMs?: number;
  /** How long processes may take to end by themselves after SIGTERM. Default 2 s. */
  readonly graceMs?: number;
  /** Also look for processes that left the group when it ended by itself: worth its time for agents. */
  readonly sweep?: boolean;
  /** What it started and left behind when it ended by itself is meant to go on. */
  readonly leavesRunning?: boolean;
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

const GRACE_MS = 2_000;

export interface StartedProcess {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly marker: string;
  readonly exited: Promise<Pick<ProcessEnd, 'exitCode' | 'signal'>>;
}

/** Starts a command in a process group of its own. Rejects when it cannot be started. */
export function startProcess(
  { argv, cwd, env, random }: ProcessSettings,
  stdio: readonly (number | IOType)[],
): Promise<StartedProcess> {
  const [command = '', ...args] = argv;
  const marker = markerBelow(shortId(random));
  const child = spawn(command, args, {
    cwd,
    env: { ...env, [MARKER_VARIABLE]: marker },
    stdio: [...stdio],
    detached: true,
    windowsHide: true,
  });
  if (child.pid !== undefined) noteStarted(child.pid, marker);
  const exited = new Promise<Pick<ProcessEnd, 'exitCode' | 'signal'>>((resolve) => {
    child.once('exit', (exitCode, signal) => resolve({ exitCode, signal }));
  });
  return new Promise((resolve, reject) => {
    child.on('error', (error) => reject(cannotStart(command, error)));
    child.once('spawn', () => resolve({ child, pid: child.pid as number, marker, exited }));
  });
}

/**
 * Waits until all of a process is gone. At the time limit, or when the signal is aborted, the whole tree gets SIGTERM
 * and, after the grace period, SIGKILL. Never rejects for what the process did: the result tells.
 */
export async function waitForEnd(started: StartedProcess, settings: ProcessSettings): Promise<ProcessEnd> {
  const {
    clock,
    signal,
    timeoutMs,
    disk,
    graceMs = GRACE_MS,
    sweep = false,
    leavesRunning = false,
  } = settings;
  const over = new AbortController();
  let timedOut = false;
  const mustEnd = new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true, signal: over.signal });
    if (timeoutMs === undefined) return;
    clock.sleep(timeoutMs, over.signal).then(
      () => {
        timedOut = true;
        resolve();
      },
      // It is over before its time.
      () => undefined,
    );
  });
  await Promise.race([started.exited, mustEnd]);
  over.abort();
  const tree = { pid: started.pid, marker: started.marker, disk, clock, graceMs };
  const isLeft = !leavesRunning && signalGroup(started.pid, 0);
  const isLooking = timedOut || signal.aborted || sweep || isLeft;
  try {
    const killed = isLooking ? await killProcesses(tree, () => findProcesses(tree)) : 0;
    return { ...(await started.exited), timedOut, aborted: signal.aborted, killed };
  } finally {
    noteEnded(started.marker);
  }
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
