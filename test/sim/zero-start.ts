import { open } from 'node:fs/promises';

/** Overwrites the beginning of a file with zeros, as a lost page of a file system does. */
export async function zeroStart(path: string, bytes: number): Promise<void> {
  await using file = await open(path, 'r+');
  await file.write(Buffer.alloc(bytes), 0, bytes, 0);
}
