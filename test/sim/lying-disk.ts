import { basename } from 'node:path';
import { type Disk, type DiskFile, isTempName } from '../../src/disk/index.ts';
import { withMethods } from './with-methods.ts';

/** A disk that says it wrote what it was given, and wrote something else: every temporary file gets wrong bytes. */
export function lyingDisk(disk: Disk): Disk {
  return withMethods(disk, {
    open: async (path, mode) => {
      const file = await disk.open(path, mode);
      return mode === 'create' && isTempName(basename(path)) ? lyingFile(file) : file;
    },
  });
}

function lyingFile(file: DiskFile): DiskFile {
  return withMethods(file, {
    write: (bytes, position) => {
      const wrong = Uint8Array.from(bytes);
      for (let at = 20; at < wrong.length; at += 40) wrong[at] = (wrong[at] ?? 0) ^ 0x10;
      return file.write(wrong, position);
    },
  });
}
