import { basename } from 'node:path';
import { type Disk, type DiskFile, isTempName } from '../../src/disk/index.ts';

/** A disk that says it wrote what it was given, and wrote something else: every temporary file gets wrong bytes. */
export function lyingDisk(disk: Disk): Disk {
  return new Proxy(disk, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key);
      if (key !== 'open') return typeof value === 'function' ? value.bind(target) : value;
      return async (path: string, mode: 'read' | 'create' | 'update') => {
        const file = await target.open(path, mode);
        return mode === 'create' && isTempName(basename(path)) ? lyingFile(file) : file;
      };
    },
  });
}

function lyingFile(file: DiskFile): DiskFile {
  return new Proxy(file, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key);
      if (typeof value !== 'function') return value;
      if (key !== 'write') return value.bind(target);
      return (bytes: Uint8Array, position: number) => {
        const wrong = Uint8Array.from(bytes);
        for (let at = 20; at < wrong.length; at += 40) wrong[at] = (wrong[at] ?? 0) ^ 0x10;
        return target.write(wrong, position);
      };
    },
  });
}
