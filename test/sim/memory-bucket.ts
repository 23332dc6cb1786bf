import { type Bucket, checkKey, folderOf } from '../../src/bucket/index.ts';
import { type Disk, nodeDisk } from '../../src/disk/index.ts';
import { systemError } from './system-error.ts';

export interface MemoryBucketOptions {
  readonly nowMs?: () => number;
  /** Where `createFromFile` reads. */
  readonly disk?: Disk;
}

/** A bucket in memory, for tests that need no disk. */
export function memoryBucket({ nowMs = () => 0, disk = nodeDisk }: MemoryBucketOptions = {}): Bucket {
  const objects = new Map<string, { readonly bytes: Uint8Array; readonly modifiedMs: number }>();

  const put = (key: string, bytes: Uint8Array) => {
    objects.set(key, { bytes: bytes.slice(), modifiedMs: nowMs() });
  };
  const create = (key: string, bytes: Uint8Array) => {
    if (objects.has(key)) return false;
    put(key, bytes);
    return true;
  };

  return {
    url: 'memory://',
    async create(key, bytes) {
      checkKey(key);
      return create(key, bytes);
    },
    async put(key, bytes) {
      checkKey(key);
      put(key, bytes);
    },
    async createFromFile(key, path) {
      checkKey(key);
      const bytes = await disk.read(path);
      if (!bytes) throw systemError('ENOENT', path);
      return create(key, bytes);
    },
    async read(key) {
      checkKey(key);
      return objects.get(key)?.bytes.slice();
    },
    async readRange(key, start, length) {
      checkKey(key);
      return objects.get(key)?.bytes.slice(start, start + length);
    },
    async stat(key) {
      checkKey(key);
      const object = objects.get(key);
      return object && { sizeBytes: object.bytes.length, modifiedMs: object.modifiedMs };
    },
    async *list(prefix) {
      const folder = folderOf(prefix);
      for (const key of [...objects.keys()].sort()) {
        const object = objects.get(key);
        if (object && key.startsWith(folder)) yield { key, sizeBytes: object.bytes.length };
      }
    },
    async remove(key) {
      checkKey(key);
      objects.delete(key);
    },
  };
}
