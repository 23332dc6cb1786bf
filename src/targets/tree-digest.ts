import { join } from 'node:path';
import { type Digest, digestOfJson, errnoOf, type Json } from '../base/index.ts';
import { type Disk, type DiskStat, digestOfFile, identityOfFile } from '../disk/index.ts';

/**
 * The digest of a folder's names and contents: a changed template is another target. A symbolic link counts by what is behind
 * it, wherever that is.
 */
export function digestOfTree(disk: Disk, dir: string): Promise<Digest> {
  return digestBelow(disk, dir, []);
}

async function digestBelow(disk: Disk, dir: string, above: readonly string[]): Promise<Digest> {
  const own = identityOfFile(dir);
  const within = own === undefined ? above : [...above, own];
  const parts: Json[] = [];
  for (const { name, kind } of (await disk.list(dir)) ?? []) {
    const path = join(dir, name);
    const found = kind === 'other' ? await behindLink(disk, path) : { kind };
    if (found?.kind === 'directory')
      parts.push([name, 'directory', await digestOfFolder(disk, path, within)]);
    else if (found?.kind === 'file') parts.push([name, 'file', await digestOfFile(disk, path)]);
    else parts.push([name, 'other', '']);
  }
  return digestOfJson(parts);
}

/** A link may lead back to a folder that it is in: what that says is in the digest already. */
async function digestOfFolder(disk: Disk, path: string, above: readonly string[]): Promise<string> {
  const depth = above.indexOf(identityOfFile(path) ?? '');
  return depth < 0 ? await digestBelow(disk, path, above) : `as ${depth}`;
}

/** Undefined when it leads nowhere, or round and round. */
async function behindLink(disk: Disk, path: string): Promise<DiskStat | undefined> {
  try {
    return await disk.stat(path);
  } catch (error) {
    if (errnoOf(error) === 'ELOOP') return undefined;
    throw error;
  }
}
