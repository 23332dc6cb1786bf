import { statfs } from 'node:fs/promises';

/** How many bytes an ordinary user may still write where `path` is. The path must exist. */
export async function freeBytes(path: string): Promise<number> {
  const { bavail, bsize } = await statfs(path);
  return bavail * bsize;
}
