import { join } from 'node:path';
import { type Disk, isTempName } from '../disk/index.ts';
import type { FolderEntry, ListedObject, ListOptions } from './bucket.ts';
import { explainBucketError } from './bucket-errors.ts';
import { folderOf, LOCK_NAME } from './key.ts';
import { orUndefined } from './or-undefined.ts';

/** The keys of a directory that is a bucket. Both listings are lazy: what is not asked for is not read. */
export class DirectoryListing {
  readonly #disk: Disk;
  readonly #dir: string;

  constructor(disk: Disk, dir: string) {
    this.#disk = disk;
    this.#dir = dir;
  }

  /** Every object below a folder. */
  async *all(folder: string, options: ListOptions = {}): AsyncIterable<ListedObject> {
    for await (const key of this.#keys(folderOf(folder), options)) {
      if (key.endsWith('/')) yield* this.all(key, options);
      else yield* this.#object(key);
    }
  }

  /** What lies directly below a folder. */
  async *folder(folder: string, options: ListOptions = {}): AsyncIterable<FolderEntry> {
    for await (const key of this.#keys(folderOf(folder), options)) {
      if (!key.endsWith('/'))
        for await (const object of this.#object(key)) yield { kind: 'object', ...object };
      else if (isAfter(key, options) && (await this.#holdsAny(key, options.signal)))
        yield { kind: 'folder', key };
    }
  }

  /** A name that nothing was stored below, or no longer, is no folder: other object stores do not know such names. */
  async #holdsAny(folder: string, signal: AbortSignal | undefined): Promise<boolean> {
    for await (const _ of this.all(folder, signal ? { signal } : {})) return true;
    return false;
  }

  /** Keys directly below a folder; those of folders end with a slash. Whole folders before `startAfter` are left out. */
  async *#keys(folder: string, options: ListOptions): AsyncIterable<string> {
    options.signal?.throwIfAborted();
    const entries = await this.#explained(() => orUndefined(() => this.#disk.list(join(this.#dir, folder))));
    const keys = (entries ?? [])
      .filter(({ name }) => !isTempName(name) && name !== LOCK_NAME)
      .map(({ name, kind }) => `${folder}${name}${kind === 'directory' ? '/' : ''}`);
    // Sorted with the slash: `a-b` comes before `a/…`, although the name `a` comes before the name `a-b`.
    for (const key of keys.sort()) {
      options.signal?.throwIfAborted();
      if (isAfter(key, options) || (key.endsWith('/') && options.startAfter?.startsWith(key))) yield key;
    }
  }

  /** Nothing when it was removed meanwhile, or is something else: a socket, a link to a directory. */
  async *#object(key: string): AsyncIterable<ListedObject> {
    const stat = await this.#explained(() => orUndefined(() => this.#disk.stat(join(this.#dir, key))));
    if (stat?.kind === 'file') yield { key, sizeBytes: stat.sizeBytes };
  }

  async #explained<T>(run: () => Promise<T>): Promise<T> {
    try {
      return await run();
    } catch (error) {
      throw explainBucketError(error, this.#dir);
    }
  }
}

function isAfter(key: string, { startAfter }: ListOptions): boolean {
  return startAfter === undefined || key > startAfter;
}
