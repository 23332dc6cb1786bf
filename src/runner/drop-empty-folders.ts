import { join } from 'node:path';
import type { Disk } from '../disk/index.ts';

/** Removes folders in which there is nothing but folders; gives true when this one is gone. Nobody may be writing there. */
export async function dropEmptyFolders(disk: Disk, dir: string): Promise<boolean> {
  let isEmpty = true;
  for (const { name, kind } of (await disk.list(dir)) ?? [])
    if (kind !== 'directory' || !(await dropEmptyFolders(disk, join(dir, name)))) isEmpty = false;
  if (isEmpty) await disk.removeTree(dir);
  return isEmpty;
}
