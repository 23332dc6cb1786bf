import { type Dirent, fchmodSync, fstatSync, type Stats } from 'node:fs';
import * as fs from 'node:fs/promises';
import { errnoOf } from '../base/index.ts';
import type { Disk, DiskEntry, DiskFile, DiskStat } from './disk.ts';
import { explainDiskError } from './explain.ts';
import { refuseLockFile } from './held-locks.ts';
import { type DirectoryCalls, makeDirWith } from './make-dir.ts';
import { explainLinkError } from './no-links.ts';

/** The real file system. */
export const nodeDisk: Disk = {
  async read(path) {
    refuseLockFile(path);
    const found = await explained(path, () => orUndefined(fs.readFile(path)));
    // Plain bytes, as every Disk gives: a Buffer is compared and sliced by other rules.
    return found && new Uint8Array(found.buffer, found.byteOffset, found.byteLength);
  },

  async stat(path) {
    const stats = await explained(path, () => orUndefined(fs.stat(path)));
    return stats && toDiskStat(stats);
  },

  async list(dir) {
    const found = await explained(dir, () => orUndefined(fs.readdir(dir, { withFileTypes: true })));
    return found?.map(toDiskEntry).sort(byName);
  },

  makeDir: (dir, options) => explained(dir, () => makeDirWith(DIRECTORY_CALLS, dir, options)),

  async open(path, mode) {
    refuseLockFile(path);
    return explained(path, async () => new NodeFile(path, await fs.open(path, FLAGS[mode])));
  },

  rename: (from, to) => explained(to, () => fs.rename(from, to)),

  link: (existing, name) => explained(name, () => link(existing, name)),

  async remove(path) {
    await explained(path, () => orUndefined(fs.unlink(path)));
  },

  removeTree: (dir) => explained(dir, () => fs.rm(dir, { recursive: true, force: true, maxRetries: 3 })),

  syncDir: (dir) => explained(dir, () => syncDir(dir)),
};

const DIRECTORY_CALLS: DirectoryCalls = { isDirectory, makeOne: (dir) => fs.mkdir(dir), sync: syncDir };

const FLAGS = { read: 'r', create: 'wx+', update: 'r+' } as const;

/** The part of a file handle that moves bytes; the tests pass one that moves them in small pieces. */
export interface RawFile {
  read(
    into: Uint8Array,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ readonly bytesRead: number }>;
  write(
    bytes: Uint8Array,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ readonly bytesWritten: number }>;
}

/** The system may move fewer bytes than asked for; only zero means the end of the file. */
export async function readFully(file: RawFile, into: Uint8Array, position: number): Promise<number> {
  let done = 0;
  while (done < into.length) {
    const { bytesRead } = await file.read(into, done, into.length - done, position + done);
    if (bytesRead === 0) break;
    done += bytesRead;
  }
  return done;
}

export async function writeFully(file: RawFile, bytes: Uint8Array, position: number): Promise<void> {
  let done = 0;
  while (done < bytes.length) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, position + done);
    done += bytesWritten;
  }
}

class NodeFile implements DiskFile {
  readonly #path: string;
  readonly #handle: fs.FileHandle;

  constructor(path: string, handle: fs.FileHandle) {
    this.#path = path;
    this.#handle = handle;
  }

  read(into: Uint8Array, position: number): Promise<number> {
    return explained(this.#path, () => readFully(this.#handle, into, position));
  }

  write(bytes: Uint8Array, position: number): Promise<void> {
    return explained(this.#path, () => writeFully(this.#handle, bytes, position));
  }

  truncate(sizeBytes: number): Promise<void> {
    return explained(this.#path, () => this.#handle.truncate(sizeBytes));
  }

  sizeBytes(): Promise<number> {
    return explained(this.#path, async () => (await this.#handle.stat()).size);
  }

  sync(): Promise<void> {
    return explained(this.#path, () => this.#handle.sync());
  }

  protect({ executable } = { executable: false }): Promise<void> {
    return explained(this.#path, async () => {
      if (process.platform === 'win32') return;
      // Both are done before another thread could be asked to do them.
      const { mode, nlink } = fstatSync(this.#handle.fd);
      const readers = mode & 0o444;
      if (nlink === 1) fchmodSync(this.#handle.fd, executable ? readers | (readers >> 2) : readers);
    });
  }

  close(): Promise<void> {
    return explained(this.#path, () => this.#handle.close());
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

async function isDirectory(path: string): Promise<boolean> {
  return (await orUndefined(fs.stat(path)))?.isDirectory() ?? false;
}

async function syncDir(dir: string): Promise<void> {
  // Windows cannot flush a directory; NTFS journals names by itself.
  if (process.platform === 'win32') return;
  const handle = await fs.open(dir, 'r');
  try {
    await handle.sync();
  } catch (error) {
    // Some network and FUSE file systems have no fsync for directories. Nothing else may pass.
    const errno = errnoOf(error);
    if (errno !== 'ENOTSUP' && errno !== 'EOPNOTSUPP' && errno !== 'EINVAL') throw error;
  } finally {
    await handle.close();
  }
}

async function link(existing: string, name: string): Promise<void> {
  try {
    await fs.link(existing, name);
  } catch (error) {
    throw explainLinkError(error, name);
  }
}

async function explained<T>(path: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw explainDiskError(error, path);
  }
}

async function orUndefined<T>(result: Promise<T>): Promise<T | undefined> {
  try {
    return await result;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function toDiskStat(stats: Stats): DiskStat {
  const { size, mtimeMs, dev, ino } = stats;
  return { kind: kindOf(stats), sizeBytes: size, modifiedMs: mtimeMs, identity: `${dev}:${ino}` };
}

function toDiskEntry(entry: Dirent): DiskEntry {
  return { name: entry.name, kind: kindOf(entry) };
}

function kindOf(thing: Stats | Dirent): DiskEntry['kind'] {
  if (thing.isFile()) return 'file';
  return thing.isDirectory() ? 'directory' : 'other';
}

function byName(a: DiskEntry, b: DiskEntry): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}
