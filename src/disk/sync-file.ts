import * as fs from 'node:fs';
import { errnoOf } from '../base/index.ts';
import { explainDiskError } from './explain.ts';
import { refuseLockFile } from './held-locks.ts';

/**
 * A file that is read or written in the middle of synchronous work: beside a SQLite transaction nothing may happen in
 * between. What is written is readable at once, and survives power loss only after `sync`.
 */
export interface SyncFile extends Disposable {
  /** Fills `into` from `position`; returns how many bytes there were (fewer only at the end of the file). */
  read(into: Uint8Array, position: number): number;
  /** Writes all bytes or throws. */
  write(bytes: Uint8Array, position: number): void;
  sync(): void;
  sizeBytes(): number;
  close(): void;
}

/** `read`: undefined when there is no such file. `create`: empty, read and write; fails when it exists. */
export function openSyncFile(path: string, mode: 'create'): SyncFile;
export function openSyncFile(path: string, mode: 'read'): SyncFile | undefined;
export function openSyncFile(path: string, mode: 'read' | 'create'): SyncFile | undefined {
  return explained(path, () => {
    if (mode === 'create') return new NodeSyncFile(path, fs.openSync(path, 'wx+'));
    refuseLockFile(path);
    const fd = openIfThere(path);
    return fd === undefined ? undefined : new NodeSyncFile(path, fd);
  });
}

/** The second: something on the way is no directory any more. */
const ABSENT: ReadonlySet<string | undefined> = new Set(['ENOENT', 'ENOTDIR']);

/** The system says whether it is there, in the one call that opens it: between two calls another process may remove it. */
function openIfThere(path: string): number | undefined {
  try {
    return fs.openSync(path, 'r');
  } catch (error) {
    if (ABSENT.has(errnoOf(error))) return undefined;
    throw error;
  }
}

class NodeSyncFile implements SyncFile {
  readonly #path: string;
  readonly #fd: number;
  #isOpen = true;

  constructor(path: string, fd: number) {
    this.#path = path;
    this.#fd = fd;
  }

  read(into: Uint8Array, position: number): number {
    return explained(this.#path, () => {
      let done = 0;
      while (done < into.length) {
        const count = fs.readSync(this.#fd, into, done, into.length - done, position + done);
        if (count === 0) break;
        done += count;
      }
      return done;
    });
  }

  write(bytes: Uint8Array, position: number): void {
    explained(this.#path, () => {
      let done = 0;
      while (done < bytes.length)
        done += fs.writeSync(this.#fd, bytes, done, bytes.length - done, position + done);
    });
  }

  sync(): void {
    explained(this.#path, () => fs.fdatasyncSync(this.#fd));
  }

  sizeBytes(): number {
    return explained(this.#path, () => fs.fstatSync(this.#fd).size);
  }

  /** Closing twice is fine. */
  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    explained(this.#path, () => fs.closeSync(this.#fd));
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

function explained<T>(path: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw explainDiskError(error, path);
  }
}
