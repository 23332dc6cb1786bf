import { lockRun, type RunLock } from '../journal/index.ts';
import { isBusy } from './open-run.ts';

/** Undefined when another process has the run in its hands just now: whatever there is to do, that one does it. */
export function tryLockRun(runDir: string): RunLock | undefined {
  try {
    return lockRun(runDir);
  } catch (error) {
    if (isBusy(error)) return undefined;
    throw error;
  }
}
