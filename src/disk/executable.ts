import { accessSync, chmodSync, constants } from 'node:fs';
import { errnoOf } from '../base/index.ts';
import { explainDiskError } from './explain.ts';

/** True when this user may run the file. */
export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return false;
  }
}

/** Lets everybody who may read a file run it. Where there is no such right, nothing happens. */
export function makeExecutable(path: string): void {
  try {
    chmodSync(path, 0o755);
  } catch (error) {
    throw explainDiskError(error, path);
  }
}
