import { dirname, resolve } from 'node:path';
import { errnoOf } from '../base/index.ts';
import type { MakeDirOptions } from './disk.ts';

/** What a file system offers for directories; `makeOne` fails with EEXIST and makes no parents. */
export interface DirectoryCalls {
  isDirectory(path: string): Promise<boolean>;
  makeOne(dir: string): Promise<void>;
  sync(dir: string): Promise<void>;
}

/**
 * Makes a directory and its parents, every name durable on return: `Disk.makeDir` for those who implement a Disk.
 *
 * ### Ordering
 * A directory's name is synced before anything is made inside it. So whoever finds a directory can trust the names
 * above it, and only its own name may still be unsynced (its maker died in between): that one is synced here.
 */
export async function makeDirWith(
  given: DirectoryCalls,
  dir: string,
  { isSynced = true, below }: MakeDirOptions = {},
): Promise<void> {
  const calls = isSynced ? given : { ...given, sync: async () => undefined };
  if (below === undefined) return makeAll(calls, dir);
  // Spelled alike: what is not recognised would be made.
  return makeAll(calls, resolve(dir), resolve(below));
}

async function makeAll(calls: DirectoryCalls, dir: string, below?: string): Promise<void> {
  const parent = dirname(dir);
  for (let attempt = 1; ; attempt++) {
    if (await calls.isDirectory(dir)) return syncNameOfExisting(calls, dir);
    if (dir === below) throw Object.assign(new Error(`ENOENT: there is no ${dir}`), { code: 'ENOENT' });
    if (parent !== dir) await makeAll(calls, parent, below);
    try {
      await calls.makeOne(dir);
      break;
    } catch (error) {
      // Somebody else may make it at the same time, or make and remove it, or remove its parent; a file of that name stays one.
      if (!PASSING.has(errnoOf(error)) || attempt === ATTEMPTS_MAX) throw error;
    }
  }
  await calls.sync(parent);
}

const PASSING: ReadonlySet<string | undefined> = new Set(['EEXIST', 'ENOENT']);
const ATTEMPTS_MAX = 20;

async function syncNameOfExisting(calls: DirectoryCalls, dir: string): Promise<void> {
  try {
    await calls.sync(dirname(dir));
  } catch (error) {
    // A parent that we may not read (`/home` on some machines) is not ours, and its owner made the directory.
    if (errnoOf(error) !== 'EACCES' && errnoOf(error) !== 'EPERM') throw error;
  }
}
