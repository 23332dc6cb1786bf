import { DamageError } from '../base/index.ts';
import type { CatFile } from './cat-file.ts';
import type { Git } from './git.ts';
import type { ObjectId } from './object-id.ts';

export interface ListedBlob {
  readonly path: string;
  readonly id: ObjectId;
  readonly sizeBytes: number;
}

/** Larger ones come through a process of their own, so that they are never held whole. */
const HELD_BYTES_MAX = 8 * 2 ** 20;

/** All files below a tree, in one process: `<mode> <type> <id> <size, padded>\t<path>\0`. */
export async function listBlobs(git: Git, tree: ObjectId): Promise<readonly ListedBlob[]> {
  const { stdout } = await git.run(['ls-tree', '-r', '-l', '-z', tree]);
  return stdout
    .toString('utf8')
    .split('\0')
    .flatMap((line) => {
      const [, id, size, path] = /^\d+ blob ([0-9a-f]+) +(\d+)\t(.*)$/s.exec(line) ?? [];
      if (id === undefined || path === undefined) return [];
      return [{ path, id: id as ObjectId, sizeBytes: Number(size) }];
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
    await using process = await git.start(['cat-file', 'blob', id]);
    yield* process.stdout;
    const { exitCode } = await process.end;
    if (exitCode !== 0) throw missingBlob(id);
    return;
  }
  const blob = await objects.object(id);
  if (!blob) throw missingBlob(id);
  yield blob.bytes;
}

function missingBlob(id: ObjectId): DamageError {
  return new DamageError({
    code: 'E_GIT_OBJECT',
    message: `The object ${id} is missing in the repository.`,
    hint: 'Run "git fsck" there. A fetch from a remote that has it, or publishing the log again, brings it back.',
  });
}
