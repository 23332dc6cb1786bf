import { accessSync, constants } from 'node:fs';
import { errnoOf } from '../base/index.ts';

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
