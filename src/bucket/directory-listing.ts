import { join } from 'node:path';
import { type Disk, type DiskStat, isTempName } from '../disk/index.ts';
import type { FolderEntry, ListedObject, ListOptions } from './bucket.ts';
import { explainBucketError } from './bucket-errors.ts';
import type { DirectoryRoot } from './directory-root.ts';
import { folderOf, ID_NAME, LOCK_NAME } from './key.ts';
import { orUndefined } from './or-undefined.ts';

const OWN_NAMES: ReadonlySet<string> = new Set([LOCK_NAME, ID_NAME]);

/** The keys of a directory that is a bucket. Both listings are lazy: what is not asked for is not read. */
export class DirectoryListing {
  readonly #disk: Disk;
  readonly #dir: string;
  readonly #root: DirectoryRoot;

  constructor(disk: Disk, dir: string, root: DirectoryRoot) {
    this.#disk = disk;
    this.#dir = dir;
    this.#root = root;
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
    const list = () => orUndefined(() => this.#disk.list(join(this.#dir, folder)));
    const entries = await this.#explained(() => this.#root.within(list, options.signal));
    const keys = (entries ?? [])
      .filter(({ name }) => !isTempName(name) && !OWN_NAMES.has(name))
      .map(({ name, kind }) => `${folder}${name}${kind === 'directory' ? '/' : ''}`);
    // Sorted with the slash: `a-b` comes before `a/…`, although the name `a` comes before the name `a-b`.
    for (const key of keys.sort()) {
      options.signal?.throwIfAborted();
      if (isAfter(key, options) || (key.endsWith('/') && options.startAfter?.startsWith(key))) yield key;
    }
  }

  /** Nothing when it was removed meanwhile, or is something else: a socket, a link to a directory. */
  async *#object(key: string): AsyncIterable<ListedObject> {
    const stat = await this.#explained(() => this.#statOf(key));
    if (stat?.kind === 'file') yield { key, sizeBytes: stat.sizeBytes };
  }

  async #statOf(key: string): Promise<DiskStat | undefined> {
    const stat = await orUndefined(() => this.#disk.stat(join(this.#dir, key)));
    // It was there a moment ago: it went, or all of the bucket did.
    if (!stat) await this.#root.look();
    return stat;
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
