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

/** A directory that comes and goes more often than that while one tries is somebody's work. */
const TRIES_MAX = 5;

/**
 * Takes a lock in a directory that others may be making, holding or letting go at this very moment. One that was gone while we tried may be there
 * again when we look: then the lock of the new one is tried.
 */
export function lockOrBusy(path: string, dir: string): Lock {
  for (let tries = 1; ; tries++) {
    try {
      const lock = tryLock(path);
      if (lock) return lock;
      throw journalBusy(dir);
    } catch (error) {
      if (!(error instanceof ActionableError) || error.code !== 'E_LOCK_UNUSABLE') throw error;
      if (identityOfFile(dir) === undefined) throw journalBusy(dir);
      if (tries >= TRIES_MAX) throw error;
    }
  }
}
