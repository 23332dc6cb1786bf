import type { Disk } from '../../disk/index.ts';
import { BufferReader } from './buffer-reader.ts';
import { openBufferFile } from './open-buffer.ts';

/** Opens the database in which Inspect keeps what is not yet in a log, of any release since 0.3.93. */
export async function openBufferDatabase(
  disk: Disk,
  path: string,
  options: { readonly scratchDir: string },
): Promise<BufferReader> {
  const { db, close, problems = [] } = await openBufferFile(disk, path, options);
  try {
    return new BufferReader({ kind: 'database', place: path, db, close, problems });
  } catch (error) {
    await close();
    throw error;
  }
}
