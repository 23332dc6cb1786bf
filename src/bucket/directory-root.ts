import { join, resolve } from 'node:path';
import { errnoOf, shortId, systemRandom } from '../base/index.ts';
import { createFile, type Disk, type DiskStat } from '../disk/index.ts';
import { bucketErrors } from './bucket-errors.ts';
import { ID_NAME } from './key.ts';
import { orUndefined } from './or-undefined.ts';

/** What tells a folder that is a bucket from any other at the same path; plain data, so that another process of this machine can be told. */
export interface SeenFolder {
  /** Of the folder itself, as this machine has it now. */
  readonly identity: string;
  /** What is written in it; undefined when nobody gave it one. */
  readonly id?: string | undefined;
  /** When the folder was last changed: one that has no id may have got one since. */
  readonly modifiedMs?: number | undefined;
}

const GONE = 'its folder is gone';
const OTHER = 'another folder is in its place';

/**
 * The folder of a bucket, as this process has seen it [BUCKET-11]. It is often a mounted share. While that is not mounted its path is gone, or
 * leads to the empty folder that it is mounted on: what is not found there is not missing, and what is stored there is hidden when the share is back.
 *
 * Device and inode tell cheaply that a folder is still the same. They do not tell that it is the same again: a network share has another device
 * whenever it is mounted anew, and several kinds of mounts have the same inode for every root. So whoever first stores something writes an
 * id into the folder, and after an absence, or when device and inode are others, that id decides. Device and inode alone decide of a folder without
 * one: nobody has stored anything there, or may write there. A copy of a bucket has its id, and may take its place.
 */
export class DirectoryRoot {
  readonly #disk: Disk;
  readonly #dir: string;
  #seen: SeenFolder | undefined;
  /** True when it was found to be away: then it is looked at closely. */
  #isDoubted = false;
  #isNamed = false;

  private constructor(disk: Disk, dir: string) {
    this.#disk = disk;
    this.#dir = dir;
  }

  /** One for all who use the folder in this process: what one of them has seen is known to the others. */
  static of(disk: Disk, dir: string): DirectoryRoot {
    const known = rootsOf.get(disk) ?? new Map<string, DirectoryRoot>();
    rootsOf.set(disk, known);
    const path = resolve(dir);
    const root = known.get(path) ?? new DirectoryRoot(disk, dir);
    known.set(path, root);
    return root;
  }

  /** Undefined as long as the folder was never there. */
  get seen(): SeenFolder | undefined {
    return this.#seen;
  }

  /** Another process of this machine has seen it. */
  expect(seen: SeenFolder): void {
    this.#seen ??= seen;
  }

  /** Looks before and after: what `work` found missing, or has stored, counts only in the folder itself. */
  async within<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    await this.look();
    let result: T;
    try {
      result = await work();
    } catch (error) {
      // Whatever went wrong, went wrong because it is away.
      if (!signal?.aborted) await this.look();
      throw error;
    }
    await this.look();
    return result;
  }

  /** Throws when the folder that was seen is not there. */
  async look(): Promise<void> {
    const found = await this.#stat();
    if (!found) {
      if (this.#seen) throw this.away();
      return;
    }
    if (this.#isAsBefore(found)) return;
    const sighted = await this.#sight(found);
    if (this.#seen && !isSame(this.#seen, sighted)) throw this.away(OTHER);
    this.#seen = sighted;
    this.#isDoubted = false;
  }

  /**
   * Makes the folder, if nobody here ever saw it, and gives it an id, if it has none.
   *
   * ### Ordering
   * The name of the folder is durable before anything is stored in it. The id is durable before the first object of whoever gives it: so whoever
   * stored something knows the folder again. Of two who give one at once both take the one that is there.
   */
  async make(): Promise<void> {
    if (this.#isNamed) return;
    await this.#disk.makeDir(this.#dir, this.#seen ? { below: this.#dir } : {});
    await this.look();
    if (!this.#seen) throw this.away();
    if (this.#seen.id === undefined) await this.#giveId();
    this.#isNamed = true;
  }

  /** Makes a folder below it, and never the folder itself. */
  makeBelow(dir: string): Promise<void> {
    return this.#disk.makeDir(dir, { below: this.#dir });
  }

  away(what = GONE): Error {
    this.#isDoubted = true;
    return bucketErrors.folderAway(this.#dir, what);
  }

  async #giveId(): Promise<void> {
    try {
      await createFile(this.#disk, this.#idPath, new TextEncoder().encode(`${shortId(systemRandom)}\n`));
    } catch (error) {
      // Who may write only below it does without.
      if (errnoOf(error) !== 'E_DISK_DENIED') throw error;
    }
    // The id may have gone into another folder: what is there now is looked at closely.
    this.#isDoubted = true;
    await this.look();
  }

  #isAsBefore({ identity, modifiedMs }: DiskStat): boolean {
    const seen = this.#seen;
    if (this.#isDoubted || seen?.identity !== identity) return false;
    return seen.id !== undefined || seen.modifiedMs === modifiedMs;
  }

  async #sight({ identity, modifiedMs }: DiskStat): Promise<SeenFolder> {
    const bytes = await orUndefined(() => this.#disk.read(this.#idPath));
    // Both must be of one folder.
    if ((await this.#stat())?.identity !== identity) throw this.away();
    const id = new TextDecoder().decode(bytes).trim();
    return { identity, modifiedMs, id: id === '' ? undefined : id };
  }

  async #stat(): Promise<DiskStat | undefined> {
    const found = await orUndefined(() => this.#disk.stat(this.#dir));
    return found?.kind === 'directory' ? found : undefined;
  }

  get #idPath(): string {
    return join(this.#dir, ID_NAME);
  }
}

const rootsOf = new WeakMap<Disk, Map<string, DirectoryRoot>>();

function isSame(seen: SeenFolder, now: SeenFolder): boolean {
  return seen.id === undefined ? seen.identity === now.identity : seen.id === now.id;
}
