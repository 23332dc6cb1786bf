import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import { ActionableError, errnoOf } from '../base/index.ts';
import { copyBytes, createFileWith, type Disk, type DiskFile, hashFile } from '../disk/index.ts';
import { type BundlePlace, objectKey } from './bundle.ts';
import { bundleErrors } from './bundle-errors.ts';
import type { PlainFile } from './manifest.ts';

/** One request for each so many bytes: contents may be larger than memory. */
const CHUNK_BYTES = 8 * 1024 * 1024;

const TRIES_MAX = 5;

/** One content may be there twice: the right to be run belongs to the file, not to its name. */
export function objectNameOf({ sha256, executable }: PlainFile): string {
  return executable ? `${sha256}.x` : sha256;
}

/** Contents that bundles of one machine share: each comes over the network once. */
export class ObjectCache {
  readonly #disk: Disk;
  readonly #dir: string;
  readonly #place: BundlePlace;
  readonly #signal: AbortSignal | undefined;

  constructor(
    dir: string,
    options: { readonly disk: Disk; readonly place: BundlePlace; readonly signal: AbortSignal | undefined },
  ) {
    this.#dir = dir;
    this.#disk = options.disk;
    this.#place = options.place;
    this.#signal = options.signal;
  }

  /**
   * Puts a content under a new name, and makes sure that it is what its digest promises [BUN-10]. What is damaged here is fetched again; what
   * is damaged in the bucket is refused.
   */
  async put(file: PlainFile, to: string): Promise<void> {
    const path = this.#pathOf(file);
    // Others of this machine may take away what they find damaged, and fetch it again, at the same time.
    for (let tries = 0; tries < TRIES_MAX; tries++) {
      if (await this.#name(path, to)) {
        if (await this.#isWhole(file, to)) return;
        await this.#disk.remove(to);
        await this.#disk.remove(path);
      }
      await this.#disk.makeDir(dirname(path));
      await createFileWith(this.#disk, path, (into) => this.#fetch(file, into));
    }
    throw bundleErrors.damaged(path, 'it is not what its digest promises');
  }

  #pathOf(file: PlainFile): string {
    return join(this.#dir, file.sha256.slice(0, 2), objectNameOf(file));
  }

  /** A second name for a file, or a copy where there are none; false when there is no such file. */
  async #name(path: string, to: string): Promise<boolean> {
    try {
      await this.#disk.link(path, to);
      return true;
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return false;
      if (!(error instanceof ActionableError) || error.code !== 'E_DISK_NO_LINK') throw error;
    }
    if (!(await this.#disk.stat(path))) return false;
    await using from = await this.#disk.open(path, 'read');
    await using copy = await this.#disk.open(to, 'create');
    await copyBytes(from, copy, this.#signal);
    await copy.protect({ executable: path.endsWith('.x') });
    await copy.sync();
    return true;
  }

  async #isWhole({ sha256, size }: PlainFile, path: string): Promise<boolean> {
    await using file = await this.#disk.open(path, 'read');
    const hashed = await hashFile(file, { signal: this.#signal, sizeHint: size });
    return hashed.sha256 === sha256 && hashed.size === size;
  }

  async #fetch({ sha256, size, executable }: PlainFile, into: DiskFile): Promise<void> {
    const { bucket } = this.#place;
    const key = objectKey(this.#place, sha256);
    const hash = createHash('sha256');
    for (let start = 0; start < size || start === 0; start += CHUNK_BYTES) {
      const length = Math.min(CHUNK_BYTES, size - start);
      const bytes =
        size <= CHUNK_BYTES
          ? await bucket.read(key, this.#signal)
          : await bucket.readRange(key, { start, length }, this.#signal);
      if (!bytes) throw bundleErrors.missing(bucket.url, `A file of the bundle (${key})`);
      hash.update(bytes);
      await into.write(bytes, start);
    }
    if (hash.digest('hex') !== sha256)
      throw bundleErrors.damaged(`${key} in ${bucket.url}`, 'it is not what its digest promises');
    await into.protect({ executable });
  }
}
