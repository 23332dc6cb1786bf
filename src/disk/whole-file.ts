import { dirname } from 'node:path';
import { errnoOf } from '../base/index.ts';
import { withClaim } from './claim.ts';
import type { Disk, DiskFile } from './disk.ts';
import { hasNoLinks } from './no-links.ts';
import { tempPathFor } from './temp.ts';

/**
 * The blessed ways to make a file: whole or absent at every moment, durable on return.
 *
 * ### Ordering
 * 1. bytes into a temporary file of the same directory, 2. sync of that file, 3. its final name (rename or link),
 * 4. sync of the directory. A crash before 3 leaves an orphan that `sweepTemps` removes; a crash between 3 and 4 leaves
 * the file whole or absent. Calling again heals in every case. Where there are no hard links, 3 is a rename under a claim.
 */

/** Puts `bytes` at `path`, in place of what was there. */
export async function replaceFile(disk: Disk, path: string, bytes: Uint8Array): Promise<void> {
  const temp = await writeTemp(disk, path, (file) => file.write(bytes, 0));
  await disposingOnFailure(disk, temp, () => renameDurably(disk, temp, path));
}

/** Puts `bytes` at `path` unless there is a file already: true when it was us. Either way, what is there is durable. */
export function createFile(disk: Disk, path: string, bytes: Uint8Array): Promise<boolean> {
  return createFileWith(disk, path, (file) => file.write(bytes, 0));
}

/** Like `createFile`, for what is too large to be held in memory: `fill` writes it into an empty file. */
export async function createFileWith(
  disk: Disk,
  path: string,
  fill: (file: DiskFile) => Promise<void>,
): Promise<boolean> {
  if (await disk.stat(path)) return foundThere(disk, path);
  const temp = await writeTemp(disk, path, fill);
  return disposingOnFailure(disk, temp, () => linkDurably(disk, temp, path));
}

/** Gives a file that was written elsewhere in the same file system its final name, in place of what was there. */
export async function commitFile(disk: Disk, tempPath: string, finalPath: string): Promise<void> {
  await syncFile(disk, tempPath);
  await renameDurably(disk, tempPath, finalPath);
}

/**
 * Like `commitFile`, but never overwrites: `'exists'` when there is a file of that name already. The temporary file is
 * gone in both cases.
 */
export async function commitNewFile(
  disk: Disk,
  tempPath: string,
  finalPath: string,
): Promise<'committed' | 'exists'> {
  await syncFile(disk, tempPath);
  return (await linkDurably(disk, tempPath, finalPath)) ? 'committed' : 'exists';
}

async function writeTemp(disk: Disk, path: string, fill: (file: DiskFile) => Promise<void>): Promise<string> {
  const temp = tempPathFor(path);
  const file = await disk.open(temp, 'create');
  return disposingOnFailure(disk, temp, async () => {
    try {
      await fill(file);
      await file.sync();
    } finally {
      await file.close();
    }
    return temp;
  });
}

async function syncFile(disk: Disk, path: string): Promise<void> {
  await using file = await disk.open(path, 'update');
  await file.sync();
}

async function renameDurably(disk: Disk, temp: string, path: string): Promise<void> {
  await disk.rename(temp, path);
  await disk.syncDir(dirname(path));
}

async function linkDurably(disk: Disk, temp: string, path: string): Promise<boolean> {
  try {
    await disk.link(temp, path);
  } catch (error) {
    if (hasNoLinks(error)) return renameUnlessThere(disk, temp, path);
    if (errnoOf(error) !== 'EEXIST') throw error;
    await tryRemove(disk, temp);
    return foundThere(disk, path);
  }
  await disk.syncDir(dirname(path));
  await tryRemove(disk, temp);
  return true;
}

/** A rename replaces what is there, so it is looked for while nobody else can put anything there. */
async function renameUnlessThere(disk: Disk, temp: string, path: string): Promise<boolean> {
  const isOurs = await withClaim(disk, path, {
    work: async () => {
      if (await disk.stat(path)) return false;
      await disk.rename(temp, path);
      return true;
    },
  });
  if (!isOurs) await tryRemove(disk, temp);
  await disk.syncDir(dirname(path));
  return isOurs;
}

/** Whoever made the file synced its bytes, but may have died before its name was durable: false must mean "it is there". */
async function foundThere(disk: Disk, path: string): Promise<false> {
  await disk.syncDir(dirname(path));
  return false;
}

/** A failed write must not leave its bytes on a disk that may be full. The first failure is the one that is told. */
async function disposingOnFailure<T>(disk: Disk, temp: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    await tryRemove(disk, temp);
    throw error;
  }
}

async function tryRemove(disk: Disk, path: string): Promise<void> {
  try {
    await disk.remove(path);
  } catch {
    // Best effort: what is left is an orphan, and `sweepTemps` removes it later.
  }
}
