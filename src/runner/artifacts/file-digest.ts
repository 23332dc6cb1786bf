import { hashFile } from '../../artifacts/index.ts';
import type { Digest } from '../../base/index.ts';
import type { Disk } from '../../disk/index.ts';

/** Of what a file says, however large it is. */
export async function digestOfFile(disk: Disk, path: string): Promise<Digest> {
  await using file = await disk.open(path, 'read');
  return (await hashFile(file)).sha256 as Digest;
}
