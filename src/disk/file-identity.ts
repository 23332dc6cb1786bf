import { statSync } from 'node:fs';
import { errnoOf } from '../base/index.ts';

/**
 * Names the file that a path leads to now: two answers are equal only for one and the same file. Undefined when there is
 * none. Cheap, and at once: it is asked before every acknowledgement.
 */
export function identityOfFile(path: string): string | undefined {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    return stats && `${stats.dev}:${stats.ino}`;
  } catch (error) {
    // Something on the way is no directory any more.
    if (errnoOf(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}
