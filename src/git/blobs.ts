import type { CatFile } from './cat-file.ts';
import type { Git } from './git.ts';
import { missingObject, type ObjectId } from './object-id.ts';
import { streamBlob } from './stream-blob.ts';

export interface ListedBlob {
  readonly path: string;
  readonly id: ObjectId;
  readonly sizeBytes: number;
}

export interface ListBlobsOptions {
  /** False where objects may have to be fetched: nobody asks for sizes then, which would fetch each of them. Default true. */
  readonly isWhole?: boolean;
  /** What a blob whose size is not known counts as: the largest that it can be. */
  readonly sizeBytesMax?: number;
}

/** Larger ones come through a process of their own, so that they are never held whole. */
const HELD_BYTES_MAX = 8 * 2 ** 20;

/** All files below a tree, in one process: `<mode> <type> <id> <size, padded>\t<path>\0`. */
export async function listBlobs(
  git: Git,
  tree: ObjectId,
  { isWhole = true, sizeBytesMax = HELD_BYTES_MAX + 1 }: ListBlobsOptions = {},
): Promise<readonly ListedBlob[]> {
  const { stdout } = await git.run(['ls-tree', '-r', '-z', ...(isWhole ? ['-l'] : []), tree]);
  return stdout
    .toString('utf8')
    .split('\0')
    .flatMap((line) => {
      const [, id, size, path] = /^\d+ blob ([0-9a-f]+)(?: +(\d+|BAD|-))?\t(.*)$/s.exec(line) ?? [];
      if (id === undefined || path === undefined) return [];
      // Git says BAD of an object that it cannot read: that is told when it is read.
      const known = Number(size);
      return [{ path, id: id as ObjectId, sizeBytes: Number.isInteger(known) ? known : sizeBytesMax }];
    });
}

/** The bytes of a file; nothing when there is none. */
export async function* readBlob(
  id: ObjectId | undefined,
  sizeBytes: number,
  { git, objects }: { readonly git: Git; readonly objects: CatFile },
): AsyncGenerator<Uint8Array> {
  if (id === undefined) return;
  if (sizeBytes > HELD_BYTES_MAX) {
    yield* streamBlob(git, id);
    return;
  }
  const blob = await objects.object(id);
  if (!blob) throw missingObject(id);
  yield blob.bytes;
}
