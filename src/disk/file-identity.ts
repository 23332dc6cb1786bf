import { type Stats, statSync } from 'node:fs';
import { errnoOf } from '../base/index.ts';

/**
 * Names the file that a path leads to now: two answers are equal only for one and the same file. Undefined when there is
 * none. Cheap, and at once: it is asked before every acknowledgement.
 */
export function identityOfFile(path: string): string | undefined {
  const stats = statOf(path);
  return stats && `${stats.dev}:${stats.ino}`;
}

/** How many bytes the file has that a path leads to now, without opening it; undefined when there is none. */
export function sizeOfFile(path: string): number | undefined {
  return statOf(path)?.size;
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    // Something on the way is no directory any more.
    if (errnoOf(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}
