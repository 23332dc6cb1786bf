import { join } from 'node:path';
import type { Disk, DiskEntry } from '../disk/index.ts';

/** A file that somebody works on. */
export interface WorkFile {
  /** From the folder, with `/`. */
  readonly name: string;
  readonly path: string;
  readonly sizeBytes: number;
  /** Another one when it was changed. */
  readonly mark: string;
}

/** Installed packages and the objects of git: they are many, and were made from what is known. */
const isLeftOut = (name: string, above: string) =>
  name === 'node_modules' || (name === 'objects' && /(^|\/)\.git$/.test(above));

/**
 * The files below a folder, at most `filesMax` of them. Only files count: a link may lead anywhere, and a socket has no end. What goes
 * away meanwhile is not there.
 */
export async function filesBelow(
  disk: Disk,
  dir: string,
  filesMax: number,
): Promise<{ readonly files: readonly WorkFile[]; readonly hasMore: boolean }> {
  const files: WorkFile[] = [];
  const folders = [''];
  for (let folder = folders.shift(); folder !== undefined; folder = folders.shift()) {
    for (const { name, kind } of await entriesOf(disk, join(dir, folder))) {
      const below = folder === '' ? name : `${folder}/${name}`;
      if (kind === 'directory' && !isLeftOut(name, folder)) folders.push(below);
      if (kind !== 'file') continue;
      const path = join(dir, below);
      const stat = await disk.stat(path);
      if (stat?.kind !== 'file') continue;
      if (files.length === filesMax) return { files, hasMore: true };
      const { sizeBytes, modifiedMs } = stat;
      files.push({ name: below, path, sizeBytes, mark: `${sizeBytes} ${modifiedMs}` });
    }
  }
  return { files, hasMore: false };
}

async function entriesOf(disk: Disk, dir: string): Promise<readonly DiskEntry[]> {
  try {
    return (await disk.list(dir)) ?? [];
  } catch {
    return []; // A folder that may not be read, or is none any more, has nothing to show; the others have.
  }
}

/** At most so many bytes of a file; fewer when it is shorter by now. */
export async function readBytes(
  disk: Disk,
  path: string,
  { from, length }: { readonly from: number; readonly length: number },
): Promise<Uint8Array> {
  await using file = await disk.open(path, 'read');
  const bytes = new Uint8Array(length);
  return bytes.subarray(0, await file.read(bytes, from));
}
