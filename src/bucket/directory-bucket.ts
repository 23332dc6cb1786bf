import { dirname, join } from 'node:path';
import { assert, errnoOf, UsageError } from '../base/index.ts';
import {
  createFile,
  createFileWith,
  type Disk,
  type DiskFile,
  isTempName,
  replaceFile,
} from '../disk/index.ts';
import type { Bucket } from './bucket.ts';
import { checkKey, folderOf } from './key.ts';

/** A directory as a bucket: the key is the path below it. The directory is made when something is first stored. */
export function directoryBucket(disk: Disk, dir: string): Bucket {
  return new DirectoryBucket(disk, dir);
}

class DirectoryBucket implements Bucket {
  readonly url: string;
  readonly #disk: Disk;

  constructor(disk: Disk, dir: string) {
    this.#disk = disk;
    this.url = dir;
  }

  async create(key: string, bytes: Uint8Array): Promise<boolean> {
    const path = await this.#makeRoomFor(key);
    return createFile(this.#disk, path, bytes);
  }

  async put(key: string, bytes: Uint8Array): Promise<void> {
    const path = await this.#makeRoomFor(key);
    await replaceFile(this.#disk, path, bytes);
  }

  async createFromFile(key: string, source: string): Promise<boolean> {
    await using from = await this.#disk.open(source, 'read');
    const path = await this.#makeRoomFor(key);
    return await createFileWith(this.#disk, path, (to) => copyBytes(from, to));
  }

  async read(key: string): Promise<Uint8Array | undefined> {
    return orUndefined(() => this.#disk.read(this.#pathOf(key)));
  }

  async readRange(key: string, start: number, length: number): Promise<Uint8Array | undefined> {
    assert(start >= 0 && length >= 0, `a range starts at ${start} and has ${length} bytes`);
    return orUndefined(async () => {
      await using file = await this.#disk.open(this.#pathOf(key), 'read');
      const available = Math.max(0, Math.min(length, (await file.sizeBytes()) - start));
      const bytes = new Uint8Array(available);
      const found = await file.read(bytes, start);
      return bytes.subarray(0, found);
    });
  }

  async stat(key: string): Promise<{ readonly sizeBytes: number; readonly modifiedMs: number } | undefined> {
    const stat = await orUndefined(() => this.#disk.stat(this.#pathOf(key)));
    return stat?.kind === 'file' ? { sizeBytes: stat.sizeBytes, modifiedMs: stat.modifiedMs } : undefined;
  }

  async *list(prefix: string): AsyncIterable<{ readonly key: string; readonly sizeBytes: number }> {
    yield* this.#listFolder(folderOf(prefix));
  }

  async remove(key: string): Promise<void> {
    const path = this.#pathOf(key);
    if (await this.stat(key)) await this.#disk.remove(path);
    // A removed lease that comes back after a power loss would name a holder that is long gone. What is missing is
    // synced too: whoever removed it may have been killed before its name was gone for good.
    await orUndefined(() => this.#disk.syncDir(dirname(path)));
  }

  async *#listFolder(folder: string): AsyncIterable<{ readonly key: string; readonly sizeBytes: number }> {
    const entries = (await orUndefined(() => this.#disk.list(join(this.url, folder)))) ?? [];
    const keys = entries
      .filter(({ name }) => !isTempName(name))
      .map(({ name, kind }) => `${folder}${name}${kind === 'directory' ? '/' : ''}`);
    // Sorted with the slash: `a-b` comes before `a/…`, although the name `a` comes before the name `a-b`.
    for (const key of keys.sort()) {
      if (key.endsWith('/')) yield* this.#listFolder(key);
      else yield* this.#listObject(key);
    }
  }

  /** Nothing when it was removed meanwhile, or is something else: a socket, a link to a directory. */
  async *#listObject(key: string): AsyncIterable<{ readonly key: string; readonly sizeBytes: number }> {
    const stat = await this.#disk.stat(join(this.url, key));
    if (stat?.kind === 'file') yield { key, sizeBytes: stat.sizeBytes };
  }

  #pathOf(key: string): string {
    checkKey(key);
    return join(this.url, key);
  }

  /** Object stores can keep both `a` and `a/b`; a directory cannot, and must not mistake one for the other. */
  async #makeRoomFor(key: string): Promise<string> {
    const path = this.#pathOf(key);
    try {
      await this.#disk.makeDir(dirname(path));
    } catch (error) {
      if (errnoOf(error) === 'EEXIST' || errnoOf(error) === 'ENOTDIR') throw takenError(this.url, key);
      throw error;
    }
    if ((await this.#disk.stat(path))?.kind === 'directory') throw takenError(this.url, key);
    return path;
  }
}

function takenError(url: string, key: string): UsageError {
  return new UsageError({
    code: 'E_BUCKET_KEY_TAKEN',
    message: `${url} cannot keep ${JSON.stringify(key)}: a file is where a folder must be, or the other way round.`,
    hint: 'Choose another key, or move what is in the way.',
  });
}

const ABSENT: ReadonlySet<string | undefined> = new Set(['ENOENT', 'EISDIR', 'ENOTDIR']);

/** [BUCKET-3] Where a folder is, or below a file, there is no object. */
async function orUndefined<T>(run: () => Promise<T>): Promise<T | undefined> {
  try {
    return await run();
  } catch (error) {
    if (ABSENT.has(errnoOf(error))) return undefined;
    throw error;
  }
}

const CHUNK_BYTES = 1024 * 1024;

async function copyBytes(from: DiskFile, to: DiskFile): Promise<void> {
  const chunk = new Uint8Array(CHUNK_BYTES);
  for (let position = 0; ; ) {
    const found = await from.read(chunk, position);
    if (found === 0) return;
    await to.write(chunk.subarray(0, found), position);
    position += found;
  }
}
