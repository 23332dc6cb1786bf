import { ActionableError, type Clock, type ErrorCode, isRunId, messageOf } from '../base/index.ts';
import { type Disk, isLocked, type Liveness, livenessOf, whoAmI } from '../disk/index.ts';
import { JOURNAL_FILE, LOCK_FILE } from './journal.ts';
import { type JournalReader, readJournal } from './reader.ts';
import type { RunRecord } from './records.ts';

export interface FoundJournal {
  readonly dir: string;
  readonly path: string;
  readonly run: RunRecord;
  readonly liveness: Liveness;
}

export interface UnreadableJournal {
  readonly dir: string;
  readonly path: string;
  /** Why it could not be read: unreadable is not absent. */
  readonly reason: string;
  readonly code: ErrorCode;
}

/** Every journal below a state directory, oldest run first, with whether its writer is alive. */
export async function findJournals(
  disk: Disk,
  stateDir: string,
): Promise<{ readonly found: readonly FoundJournal[]; readonly unreadable: readonly UnreadableJournal[] }> {
  const found: FoundJournal[] = [];
  const unreadable: UnreadableJournal[] = [];
  for (const entry of (await disk.list(stateDir)) ?? []) {
    const dir = `${stateDir}/${entry.name}`;
    const path = `${dir}/${JOURNAL_FILE}`;
    if (entry.kind !== 'directory' || !isRunId(entry.name) || !(await disk.stat(path))) continue;
    try {
      found.push(lookAt(dir, path));
    } catch (error) {
      if (!(error instanceof ActionableError)) throw error;
      unreadable.push({ dir, path, reason: messageOf(error), code: error.code });
    }
  }
  return { found, unreadable };
}

/** A process needs far less than this from making its directory to its first transaction. */
const SHELL_AGE_MS = 60_000;

/**
 * Removes what a process left that died while its journal was being born: a directory without a journal, or with one
 * that names no run. Nobody may be at work there, and it must not be young.
 */
export async function sweepShells(disk: Disk, stateDir: string, clock: Clock): Promise<void> {
  for (const { name, kind } of (await disk.list(stateDir)) ?? []) {
    const dir = `${stateDir}/${name}`;
    if (kind !== 'directory' || !isRunId(name)) continue;
    const stat = await disk.stat(dir);
    const isYoung = stat === undefined || clock.nowMs() - stat.modifiedMs < SHELL_AGE_MS;
    if (isYoung || isLocked(`${dir}/${LOCK_FILE}`)) continue;
    if (await isShell(disk, dir)) await disk.removeTree(dir);
  }
}

async function isShell(disk: Disk, dir: string): Promise<boolean> {
  const path = `${dir}/${JOURNAL_FILE}`;
  if (!(await disk.stat(path))) return true;
  try {
    lookAt(dir, path);
    return false;
  } catch (error) {
    if (error instanceof ActionableError) return error.code === 'E_JOURNAL_EMPTY';
    throw error;
  }
}

function lookAt(dir: string, path: string): FoundJournal {
  const reader = readJournal(path);
  try {
    return { dir, path, run: reader.run(), liveness: journalLiveness(dir, reader) };
  } finally {
    reader.close();
  }
}

/**
 * A held lock means alive, whoever holds it. A free lock means dead only if this machine can vouch for the writer
 * (same host and boot, or it ended in good order); otherwise it is unknown, which is not dead [JRN-8].
 */
export function journalLiveness(dir: string, reader: JournalReader): Liveness {
  if (isLocked(`${dir}/${LOCK_FILE}`)) return 'alive';
  const last = reader.sessions().at(-1);
  if (!last || last.ending) return 'dead';
  // Whoever runs under this kernel, in whatever container, would be seen holding the lock.
  const { bootId } = whoAmI();
  if (bootId !== undefined && last.process.bootId === bootId) return 'dead';
  const liveness = livenessOf(last.process);
  // The process may live on as something else than a writer of this journal: it holds no lock, so it let go.
  return liveness === 'alive' ? 'dead' : liveness;
}
