import { identityOfFile, isLocked, type Liveness, livenessOf, whoAmI } from '../disk/index.ts';
import { isFenced } from './fence.ts';
import type { JournalReader } from './journal-reader.ts';
import { besideJournal } from './layout.ts';

/**
 * A held lock means alive, whoever holds it. A free lock means dead only if this machine can vouch for the writer (same
 * host and boot, or it ended in good order, or somebody declared it dead); otherwise it is unknown, which is not dead
 * [JRN-8]. No clock and no sign of life decides.
 */
export function writerLiveness(reader: JournalReader): Liveness {
  if (isFenced(reader.path)) return 'dead';
  const { lock } = besideJournal(reader.path);
  if (isLocked(lock)) return 'alive';
  if (reader.ending()) return 'dead';
  const { process } = reader.writer();
  // What was made from segments has no lock of its own: its writer may be at work in another directory.
  if (reader.version !== 1 && identityOfFile(lock) === undefined) return livenessOf(process);
  // Whoever runs under this kernel, in whatever container, would be seen holding the lock.
  const { bootId } = whoAmI();
  if (bootId !== undefined && process.bootId === bootId) return 'dead';
  const liveness = livenessOf(process);
  // The process may live on as something else than a writer of this journal: it holds no lock, so it let go.
  return liveness === 'alive' ? 'dead' : liveness;
}

/** One that is alive makes the run alive; one that may be makes it unknown. */
export function worstLiveness(all: readonly Liveness[]): Liveness {
  if (all.includes('alive')) return 'alive';
  return all.includes('unknown') ? 'unknown' : 'dead';
}

/** Over all writers of a run. One that another came after was dead by then, or somebody vouched for it. */
export function livenessOfRun(
  writers: readonly {
    readonly writer: string;
    readonly after: readonly string[];
    readonly liveness: Liveness;
  }[],
): Liveness {
  const before = new Set(writers.flatMap(({ after }) => after));
  return worstLiveness(
    writers.map(({ writer, liveness }) => (liveness === 'unknown' && before.has(writer) ? 'dead' : liveness)),
  );
}
