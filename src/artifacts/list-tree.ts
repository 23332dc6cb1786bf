import { join } from 'node:path';
import type { Disk } from '../disk/index.ts';

/** What is below a folder, by paths with `/`, each list in code-unit order. */
export interface Tree {
  readonly files: readonly string[];
  /** Parents before what is in them. */
  readonly folders: readonly string[];
  /** Links, devices, sockets: no part of any generation. */
  readonly others: readonly string[];
}

/** Undefined when the folder is not there. Links are named and never followed. */
export async function listTree(disk: Disk, dir: string): Promise<Tree | undefined> {
  const tree = { files: [] as string[], folders: [] as string[], others: [] as string[] };
  const open = [''];
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    const entries = await disk.list(join(dir, folder));
    if (!entries && folder === '') return undefined;
    for (const { name, kind } of entries ?? []) {
      const path = folder === '' ? name : `${folder}/${name}`;
      if (kind === 'file') tree.files.push(path);
      else if (kind === 'other') tree.others.push(path);
      else {
        tree.folders.push(path);
        open.push(path);
      }
    }
  }
  for (const list of Object.values(tree)) list.sort();
  return tree;
}
