/** Signals to a worker and to the processes in which it runs the code of evals, as when a machine sleeps: none of them hears of it. */
import { execFileSync } from 'node:child_process';
import process from 'node:process';
import type { Started } from './holdfast.ts';

/** Both do nothing until they are thawed; which processes they are. */
export function freeze({ child }: Started): Frozen {
  const worker = child.pid ?? 0;
  // First: it starts no other while we look.
  process.kill(worker, 'SIGSTOP');
  const sessions = childrenOf(worker);
  for (const pid of sessions) process.kill(pid, 'SIGSTOP');
  return {
    sessions,
    thawSessions: () => thaw(sessions),
    thawWorker: () => thaw([worker]),
  };
}

export interface Frozen {
  /** The processes in which it runs the code of evals. */
  readonly sessions: readonly number[];
  thawSessions(): void;
  thawWorker(): void;
}

/** The worker and its processes, all at once: nothing of what they have can be given back. */
export function killAll({ child }: Started): void {
  const worker = child.pid ?? 0;
  process.kill(worker, 'SIGSTOP');
  for (const pid of [...childrenOf(worker), worker]) process.kill(pid, 'SIGKILL');
}

function thaw(pids: readonly number[]): void {
  for (const pid of pids) process.kill(pid, 'SIGCONT');
}

function childrenOf(pid: number): readonly number[] {
  const said = execFileSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' });
  return said
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map(Number);
}
