import { ActionableError } from '../base/index.ts';
import { identityOfFile, type Lock, tryLock } from '../disk/index.ts';
import { journalBusy } from './journal-errors.ts';
import { runLockPath } from './layout.ts';

/** Whoever holds it may plan, seal and release the run [JRN-8]. */
export type RunLock = Lock;

/**
 * Takes the lock of a run. Fails with E_JOURNAL_BUSY when another process holds it, and also when the run's directory is
 * gone: then another process was quicker and has let it go.
 */
export function lockRun(runDir: string): RunLock {
  return lockOrBusy(runLockPath(runDir), runDir);
}

/** Takes a lock in a directory that others may be making, holding or letting go at this very moment. */
export function lockOrBusy(path: string, dir: string): Lock {
  let lock: Lock | undefined;
  try {
    lock = tryLock(path);
  } catch (error) {
    const isGone = identityOfFile(dir) === undefined;
    if (!isGone || !(error instanceof ActionableError)) throw error;
  }
  if (!lock) throw journalBusy(dir);
  return lock;
}
