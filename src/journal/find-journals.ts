import { ActionableError, messageOf } from '../base/index.ts';
import { type Disk, isLocked, type Liveness, livenessOf } from '../disk/index.ts';
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
}

/** Every journal below a state directory, oldest run first, with whether its writer is alive. */
export async function findJournals(
  disk: Disk,
  stateDir: string,
): Promise<{ readonly found: readonly FoundJournal[]; readonly unreadable: readonly UnreadableJournal[] }> {
  const found: FoundJournal[] = [];
  const unreadable: UnreadableJournal[] = [];
  // A run id has no dot; a directory whose name has one is on its way out.
  for (const entry of (await disk.list(stateDir)) ?? []) {
    const dir = `${stateDir}/${entry.name}`;
    const path = `${dir}/${JOURNAL_FILE}`;
    if (entry.kind !== 'directory' || entry.name.includes('.') || !(await disk.stat(path))) continue;
    try {
      found.push(lookAt(dir, path));
    } catch (error) {
      if (!(error instanceof ActionableError)) throw error;
      unreadable.push({ dir, path, reason: messageOf(error) });
    }
  }
  return { found, unreadable };
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
  const liveness = livenessOf(last.process);
  // The process may live on as something else than a writer of this journal: it holds no lock, so it let go.
  return liveness === 'alive' ? 'dead' : liveness;
}
