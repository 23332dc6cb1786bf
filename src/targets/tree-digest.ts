import { join } from 'node:path';
import { type Digest, digestOf, digestOfJson, type Json } from '../base/index.ts';
import type { Disk } from '../disk/index.ts';

/** The digest of a folder's names and contents: a changed template is another target. */
export async function digestOfTree(disk: Disk, dir: string): Promise<Digest> {
  const entries = (await disk.list(dir)) ?? [];
  const parts: Json[] = [];
  for (const { name, kind } of entries) {
    const path = join(dir, name);
    if (kind === 'directory') parts.push([name, 'directory', await digestOfTree(disk, path)]);
    else if (kind === 'file')
      parts.push([name, 'file', digestOf((await disk.read(path)) ?? new Uint8Array())]);
    else parts.push([name, 'other', '']);
  }
  return digestOfJson(parts);
}
