import * as fs from 'node:fs/promises';
import { errnoOf } from '../base/index.ts';
import { explainDiskError } from './explain.ts';

/** EINVAL: it is something else. Windows says UNKNOWN. */
const NO_LINK: ReadonlySet<string | undefined> = new Set(['ENOENT', 'ENOTDIR', 'EINVAL', 'UNKNOWN']);

/** Where a symbolic link leads, as it is written in it; undefined where there is none. */
export async function readSymbolicLink(path: string): Promise<string | undefined> {
  try {
    return await fs.readlink(path);
  } catch (error) {
    if (NO_LINK.has(errnoOf(error))) return undefined;
    throw explainDiskError(error, path);
  }
}

/** Durable once the folder around it is synced. Fails with EEXIST where something is. */
export async function makeSymbolicLink(path: string, target: string): Promise<void> {
  try {
    await fs.symlink(target, path);
  } catch (error) {
    throw explainDiskError(error, path);
  }
}

/** Where a path really is, once every link on the way is followed; the path itself where nothing is there. */
export async function realPathOf(path: string): Promise<string> {
  try {
    return await fs.realpath(path);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return path;
    throw explainDiskError(error, path);
  }
}
