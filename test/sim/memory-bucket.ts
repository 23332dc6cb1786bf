import { type Bucket, bucketErrors, checkKey, type FolderEntry, folderOf } from '../../src/bucket/index.ts';
import { createFile, type Disk, nodeDisk } from '../../src/disk/index.ts';
import { systemError } from './system-error.ts';

export interface MemoryBucketOptions {
  readonly nowMs?: () => number;
  /** Where `createFromFile` reads and `download` writes. */
  readonly disk?: Disk;
}

interface Stored {
  readonly bytes: Uint8Array;
  readonly modifiedMs: number;
  readonly etag: string;
}

/** A bucket in memory, for tests that need no disk. */
export function memoryBucket({ nowMs = () => 0, disk = nodeDisk }: MemoryBucketOptions = {}): Bucket {
  const objects = new Map<string, Stored>();
  let writes = 0;

  const store = (key: string, bytes: Uint8Array) => {
    const etag = `"${++writes}"`;
    objects.set(key, { bytes: bytes.slice(), modifiedMs: nowMs(), etag });
    return etag;
  };
  const create = (key: string, bytes: Uint8Array) => {
    if (objects.has(key)) return false;
    store(key, bytes);
    return true;
  };
  const check = (key: string, signal: AbortSignal | undefined) => {
    checkKey(key);
    signal?.throwIfAborted();
  };
  const keysBelow = (folder: string, startAfter: string | undefined) =>
    [...objects.keys()]
      .filter((key) => key.startsWith(folder) && (startAfter === undefined || key > startAfter))
      .sort();

  return {
    url: 'memory://',
    async create(key, bytes, signal) {
      check(key, signal);
      return create(key, bytes);
    },
    async replaceIf(key, { bytes, etag }, signal) {
      check(key, signal);
      return objects.get(key)?.etag === etag ? store(key, bytes) : undefined;
    },
    async createFromFile(key, path, signal) {
      check(key, signal);
      const bytes = await disk.read(path);
      signal?.throwIfAborted();
      if (!bytes) throw systemError('ENOENT', path);
      return create(key, bytes);
    },
    async read(key, signal) {
      check(key, signal);
      return objects.get(key)?.bytes.slice();
    },
    async readTagged(key, signal) {
      check(key, signal);
      const object = objects.get(key);
      return object && { bytes: object.bytes.slice(), etag: object.etag };
    },
    async readRange(key, { start, length }, signal) {
      check(key, signal);
      return objects.get(key)?.bytes.slice(start, start + length);
    },
    async download(key, path, signal) {
      check(key, signal);
      const object = objects.get(key);
      if (!object) return undefined;
      if (!(await createFile(disk, path, object.bytes))) throw bucketErrors.fileExists(key, path);
      return { sizeBytes: object.bytes.length };
    },
    async stat(key, signal) {
      check(key, signal);
      const object = objects.get(key);
      return object && { sizeBytes: object.bytes.length, modifiedMs: object.modifiedMs };
    },
    async *list(folder, { startAfter, signal } = {}) {
      const below = folderOf(folder);
      signal?.throwIfAborted();
      for (const key of keysBelow(below, startAfter)) {
        signal?.throwIfAborted();
        const object = objects.get(key);
        if (object) yield { key, sizeBytes: object.bytes.length };
      }
    },
    async *listFolder(folder, { startAfter, signal } = {}) {
      const below = folderOf(folder);
      signal?.throwIfAborted();
      let last: string | undefined;
      for (const key of keysBelow(below, startAfter)) {
        signal?.throwIfAborted();
        const entry = entryOf(key, below, objects.get(key)?.bytes.length);
        if (!entry || entry.key === last || (startAfter !== undefined && entry.key <= startAfter)) continue;
        last = entry.key;
        yield entry;
      }
    },
    async remove(key, signal) {
      check(key, signal);
      objects.delete(key);
    },
    async removeAll(keys, signal) {
      const all = [...keys];
      for (const key of all) check(key, signal);
      for (const key of all) objects.delete(key);
    },
  };
}

function entryOf(key: string, folder: string, sizeBytes: number | undefined): FolderEntry | undefined {
  const slash = key.indexOf('/', folder.length);
  if (slash >= 0) return { kind: 'folder', key: key.slice(0, slash + 1) };
  return sizeBytes === undefined ? undefined : { kind: 'object', key, sizeBytes };
}
