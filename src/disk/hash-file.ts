import { createHash } from 'node:crypto';
import type { Digest } from '../base/index.ts';
import type { Disk, DiskFile } from './disk.ts';

const CHUNK_BYTES = 256 * 1024;

export interface HashedFile {
  readonly size: number;
  readonly sha256: Digest;
}

/** Reads a file once from its beginning to its end. Whoever else wants its bytes gets them, chunk by chunk. */
export async function hashFile(
  file: DiskFile,
  options: {
    readonly onChunk?: (chunk: Uint8Array, position: number) => Promise<void> | void;
    readonly signal?: AbortSignal | undefined;
    /** About how large it is: no more memory is taken for it. */
    readonly sizeHint?: number | undefined;
  } = {},
): Promise<HashedFile> {
  const { onChunk, signal, sizeHint = CHUNK_BYTES } = options;
  const hash = createHash('sha256');
  // One byte more than there should be shows at once that the file is at its end.
  const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, sizeHint + 1));
  for (let size = 0; ; ) {
    signal?.throwIfAborted();
    const found = await file.read(chunk, size);
    const bytes = chunk.subarray(0, found);
    hash.update(bytes);
    if (found > 0) await onChunk?.(bytes, size);
    size += found;
    if (found < chunk.length) return { size, sha256: hash.digest('hex') as Digest };
  }
}

/** The digest of what a file says, however large it is. */
export async function digestOfFile(disk: Disk, path: string): Promise<Digest> {
  await using file = await disk.open(path, 'read');
  return (await hashFile(file)).sha256;
}
