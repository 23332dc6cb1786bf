import type { DiskFile } from './disk.ts';

const CHUNK_BYTES = 1024 * 1024;

/** Copies a whole file, chunk by chunk; gives its size. Throws the reason of the signal once it is aborted. */
export async function copyBytes(from: DiskFile, to: DiskFile, signal?: AbortSignal): Promise<number> {
  const chunk = new Uint8Array(CHUNK_BYTES);
  for (let position = 0; ; ) {
    signal?.throwIfAborted();
    const found = await from.read(chunk, position);
    if (found === 0) return position;
    await to.write(chunk.subarray(0, found), position);
    position += found;
  }
}
