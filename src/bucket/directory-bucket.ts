import { dirname, join } from 'node:path';
import { assert, digestOf, errnoOf } from '../base/index.ts';
import {
  copyBytes,
  createFile,
  createFileWith,
  type Disk,
  type DiskFile,
  replaceFile,
} from '../disk/index.ts';
import type {
  Bucket,
  ByteRange,
  FolderEntry,
  ListedObject,
  ListOptions,
  ObjectStat,
  Replacement,
  TaggedObject,
} from './bucket.ts';
import { bucketErrors, explainBucketError } from './bucket-errors.ts';
import { DirectoryListing } from './directory-listing.ts';
import { DirectoryLock, type DirectoryLockOptions } from './directory-lock.ts';
import { DirectoryRoot } from './directory-root.ts';
import { checkKey } from './key.ts';
import { orUndefined } from './or-undefined.ts';

/** A directory as a bucket: the key is the path below it. The directory is made when something is first stored, and never again [BUCKET-11]. */
export function directoryBucket(disk: Disk, dir: string, options: DirectoryLockOptions = {}): Bucket {
  return new DirectoryBucket(disk, dir, options);
}

/**
 * ### Ordering
 * Objects become durable as whole files do (`disk/whole-file.ts`). `replaceIf` looks at an object and changes it under one
 * lock, and `remove` takes the same lock where anything ever was replaced, so nothing that was removed comes back and
 * nothing that was replaced is replaced again. `create` needs no lock: its link is create-if-absent by itself. A crash
 * under the lock frees it and leaves the old object or the new one.
 */
class DirectoryBucket implements Bucket {
  readonly url: string;
  readonly #disk: Disk;
  readonly #root: DirectoryRoot;
  readonly #lock: DirectoryLock;
  readonly #listing: DirectoryListing;

  constructor(disk: Disk, dir: string, options: DirectoryLockOptions) {
    this.#disk = disk;
    this.url = dir;
    this.#lock = new DirectoryLock(disk, dir, options);
    this.#root = DirectoryRoot.of(disk, dir);
    this.#listing = new DirectoryListing(disk, dir, this.#root);
  }

  async create(key: string, bytes: Uint8Array, signal?: AbortSignal): Promise<boolean> {
    checkKey(key);
    return this.#run(signal, () => this.#store(key, (path) => createFile(this.#disk, path, bytes)));
  }

  async createFromFile(key: string, source: string, signal?: AbortSignal): Promise<boolean> {
    checkKey(key);
    return this.#run(signal, async () => {
      await using from = await this.#disk.open(source, 'read');
      const fill = async (to: DiskFile) => void (await copyBytes(from, to, signal));
      return await this.#store(key, (path) => createFileWith(this.#disk, path, fill));
    });
  }

  async replaceIf(key: string, replacement: Replacement, signal?: AbortSignal): Promise<string | undefined> {
    const path = this.#pathOf(key);
    return this.#run(signal, async () => {
      if (!(await this.#statOf(path))) return undefined;
      return this.#lock.hold(async () => {
        const found = await orUndefined(() => this.#disk.read(path));
        if (!found || digestOf(found) !== replacement.etag) return undefined;
        await replaceFile(this.#disk, path, replacement.bytes);
        return digestOf(replacement.bytes);
      }, signal);
    });
  }

  async read(key: string, signal?: AbortSignal): Promise<Uint8Array | undefined> {
    const path = this.#pathOf(key);
    return this.#run(signal, () => orUndefined(() => this.#disk.read(path)));
  }

  async readTagged(key: string, signal?: AbortSignal): Promise<TaggedObject | undefined> {
    const bytes = await this.read(key, signal);
    return bytes && { bytes, etag: digestOf(bytes) };
  }

  async readRange(key: string, range: ByteRange, signal?: AbortSignal): Promise<Uint8Array | undefined> {
    const { start, length } = range;
    assert(start >= 0 && length >= 0, `a range starts at ${start} and has ${length} bytes`);
    const path = this.#pathOf(key);
    return this.#run(signal, () =>
      orUndefined(async () => {
        await using file = await this.#disk.open(path, 'read');
        const available = Math.max(0, Math.min(length, (await file.sizeBytes()) - start));
        const bytes = new Uint8Array(available);
        const found = await file.read(bytes, start);
        return bytes.subarray(0, found);
      }),
    );
  }

  async download(
    key: string,
    target: string,
    signal?: AbortSignal,
  ): Promise<{ readonly sizeBytes: number } | undefined> {
    const path = this.#pathOf(key);
    return this.#run(signal, async () => {
      if (!(await this.#statOf(path))) return undefined;
      await using from = await orUndefined(() => this.#disk.open(path, 'read'));
      if (!from) return undefined;
      let sizeBytes = 0;
      const isNew = await createFileWith(this.#disk, target, async (to) => {
        sizeBytes = await copyBytes(from, to, signal);
      });
      if (!isNew) throw bucketErrors.fileExists(key, target);
      return { sizeBytes };
    });
  }

  async stat(key: string, signal?: AbortSignal): Promise<ObjectStat | undefined> {
    const path = this.#pathOf(key);
    return this.#run(signal, () => this.#statOf(path));
  }

  list(folder: string, options?: ListOptions): AsyncIterable<ListedObject> {
    return this.#listing.all(folder, options);
  }

  listFolder(folder: string, options?: ListOptions): AsyncIterable<FolderEntry> {
    return this.#listing.folder(folder, options);
  }

  remove(key: string, signal?: AbortSignal): Promise<void> {
    return this.removeAll([key], signal);
  }

  async removeAll(keys: Iterable<string>, signal?: AbortSignal): Promise<void> {
    const paths = [...keys].map((key) => this.#pathOf(key));
    const remove = () => this.#removePaths(paths, signal);
    await this.#run(signal, async () => {
      if (!(await this.#lock.wasEverHeld())) {
        await remove();
        // The first one to replace anything here may have looked at an object before it went, and put it back.
        if (!(await this.#lock.wasEverHeld())) return;
      }
      await this.#lock.hold(remove, signal);
    });
  }

  async #removePaths(paths: readonly string[], signal: AbortSignal | undefined): Promise<void> {
    const failures: unknown[] = [];
    const tried = async (run: () => Promise<unknown>) => {
      signal?.throwIfAborted();
      await run().catch((error: unknown) => failures.push(error));
    };
    for (const path of paths) {
      await tried(async () => (await this.#statOf(path)) && (await this.#disk.remove(path)));
    }
    // A removed lease that comes back after a power loss would name a holder that is long gone. What is missing is
    // synced too: whoever removed it may have been killed before its name was gone for good.
    for (const dir of new Set(paths.map((path) => dirname(path)))) {
      await tried(() => orUndefined(() => this.#disk.syncDir(dir)));
    }
    if (failures.length > 0) throw failures[0];
  }

  async #statOf(path: string): Promise<ObjectStat | undefined> {
    const stat = await orUndefined(() => this.#disk.stat(path));
    return stat?.kind === 'file' ? { sizeBytes: stat.sizeBytes, modifiedMs: stat.modifiedMs } : undefined;
  }

  /** Every call goes through here: nothing is begun after an abort or while the folder is away, and errors get the codes of a bucket. */
  async #run<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    signal?.throwIfAborted();
    try {
      return await this.#root.within(work, signal);
    } catch (error) {
      throw explainBucketError(error, this.url);
    }
  }

  #pathOf(key: string): string {
    checkKey(key);
    return join(this.url, key);
  }

  async #store(key: string, make: (path: string) => Promise<boolean>): Promise<boolean> {
    try {
      await this.#root.make();
      return await make(await this.#makeRoomFor(key));
    } catch (error) {
      // Nobody removes folders of a bucket: the bucket itself went, and may be back by now.
      throw errnoOf(error) === 'ENOENT' ? this.#root.away() : error;
    }
  }

  /** Object stores can keep both `a` and `a/b`; a directory cannot, and must not mistake one for the other. */
  async #makeRoomFor(key: string): Promise<string> {
    const path = join(this.url, key);
    try {
      await this.#root.makeBelow(dirname(path));
    } catch (error) {
      if (errnoOf(error) === 'EEXIST' || errnoOf(error) === 'ENOTDIR')
        throw bucketErrors.keyTaken(this.url, key);
      throw error;
    }
    if ((await this.#disk.stat(path))?.kind === 'directory') throw bucketErrors.keyTaken(this.url, key);
    return path;
  }
}
