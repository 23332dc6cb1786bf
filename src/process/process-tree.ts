import { type Clock, errnoOf } from '../base/index.ts';
import type { Disk } from '../disk/index.ts';

export interface ProcessTree {
  /** The first process: the leader of its group and of its session. */
  readonly pid: number;
  /** The value of the marker variable that all processes of the tree inherit. */
  readonly marker: string;
  readonly disk: Disk;
  readonly clock: Clock;
  readonly graceMs: number;
}

/** Where we can look, a group of which only unreaped zombies are left counts as gone. */
const CAN_LOOK = process.platform === 'linux';
const GIVE_UP_MS = 10_000;

/** Signals a whole process group; false when nobody is left in it. Signal 0 only asks. */
export function signalGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  return trySignal(-pid, signal);
}

/**
 * Ends all processes of a tree, or without a `pid` just those that are found: SIGTERM, then SIGKILL for those that are still there after the grace period. Returns how
 * many there were. Looks again each time, since a dying process can still start another.
 */
export async function killProcesses(
  tree: Pick<ProcessTree, 'clock' | 'graceMs'> & { readonly pid: number | undefined },
  find: () => Promise<readonly number[]>,
): Promise<number> {
  const { clock, graceMs, pid } = tree;
  const seen = new Set<number>();
  const startedMs = clock.monotonicMs();
  let signal: NodeJS.Signals = 'SIGTERM';
  for (let pauseMs = 5; ; pauseMs = Math.min(pauseMs * 2, 100)) {
    const alive = await find();
    const isGroupAlive = !CAN_LOOK && pid !== undefined && signalGroup(pid, 0);
    const isOver = alive.length === 0 && !isGroupAlive;
    // A process that SIGKILL does not end hangs in the kernel: nobody can wait for that.
    if (isOver || clock.monotonicMs() - startedMs > graceMs + GIVE_UP_MS) return seen.size;
    const isNew = (process: number) => !seen.has(process);
    if (signal === 'SIGKILL' || alive.some(isNew) || (isGroupAlive && seen.size === 0)) {
      if (pid !== undefined) signalGroup(pid, signal);
      for (const process of alive) trySignal(process, signal);
      for (const process of alive.length > 0 || pid === undefined ? alive : [pid]) seen.add(process);
    }
    await clock.sleep(pauseMs);
    if (clock.monotonicMs() - startedMs >= graceMs) signal = 'SIGKILL';
  }
}

/**
 * The processes of a tree that are still running, also those that left the group (same session) or the session (same
 * marker in their environment). Only Linux lets us look; elsewhere the group is all we know.
 */
export async function findProcesses({ pid, marker, disk }: ProcessTree): Promise<readonly number[]> {
  return find(disk, { session: pid, marker });
}

/** Those alone that carry a marker, or one below it. */
export async function findMarked(disk: Disk, marker: string): Promise<readonly number[]> {
  return find(disk, { session: undefined, marker });
}

interface Looked {
  readonly session: number | undefined;
  readonly marker: string;
}

async function find(disk: Disk, tree: Looked): Promise<readonly number[]> {
  if (!CAN_LOOK) return [];
  const entries = (await disk.list('/proc')) ?? [];
  const pids = entries
    .map(({ name }) => Number(name))
    .filter((id) => Number.isInteger(id) && id !== process.pid);
  const found: number[] = [];
  for (const id of pids) {
    if (await belongs(disk, id, tree)) found.push(id);
  }
  return found;
}

async function belongs(disk: Disk, id: number, tree: Looked): Promise<boolean> {
  const stat = await tryReadText(disk, `/proc/${id}/stat`);
  // `pid (name) state ppid pgrp session …`; the name may hold anything, also `)`.
  const [state, , , session] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (stat === '' || state === 'Z' || state === 'X') return false;
  if (Number(session) === tree.session) return true;
  const environ = await tryReadText(disk, `/proc/${id}/environ`);
  return environ.includes(`=${tree.marker}\0`) || environ.includes(`=${tree.marker}.`);
}

/** Processes end while we look, and those of others may not be read: neither is one of ours. */
async function tryReadText(disk: Disk, path: string): Promise<string> {
  try {
    const bytes = await disk.read(path);
    return bytes ? Buffer.from(bytes).toString('latin1') : '';
  } catch {
    // ESRCH, EACCES, EPERM: gone, or somebody else's.
    return '';
  }
}

function trySignal(target: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(target, signal);
    return true;
  } catch (error) {
    if (errnoOf(error) === 'ESRCH') return false;
    // EPERM: there is one, but it is not ours to signal (macOS also says so for a group of zombies).
    if (errnoOf(error) === 'EPERM') return false;
    throw error;
  }
}
