import { createHash } from 'node:crypto';
import type { Digest } from '../base/index.ts';
import type { Disk } from './disk.ts';

const CHUNK_BYTES = 256 * 1024;

/** The digest of what a file says, however large it is. */
export async function digestOfFile(disk: Disk, path: string): Promise<Digest> {
  await using file = await disk.open(path, 'read');
  const hash = createHash('sha256');
  const chunk = new Uint8Array(CHUNK_BYTES);
  for (let position = 0; ; ) {
    const found = await file.read(chunk, position);
    hash.update(chunk.subarray(0, found));
    position += found;
    if (found < chunk.length) return hash.digest('hex') as Digest;
  }
}
