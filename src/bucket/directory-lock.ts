import { join } from 'node:path';
import { type Clock, systemClock } from '../base/index.ts';
import { type Disk, nodeDisk, tryLock } from '../disk/index.ts';
import { bucketErrors } from './bucket-errors.ts';
import { LOCK_NAME } from './key.ts';

export interface DirectoryLockOptions {
  readonly clock?: Clock;
}

const POLL_MS = 2;
const WAIT_MS_MAX = 10_000;

/**
 * What lets only one process at a time compare and change an object of a directory: a kernel lock, which goes with its
 * holder. It is held for a few milliseconds, so waiting is asking again. Its file is made when something is first
 * replaced and stays; a directory in which nothing ever was replaced has none.
 */
export class DirectoryLock {
  readonly #dir: string;
  readonly #path: string;
  readonly #locks: Locks;
  readonly #clock: Clock;

  constructor(disk: Disk, dir: string, options: DirectoryLockOptions = {}) {
    this.#dir = dir;
    this.#path = join(dir, LOCK_NAME);
    this.#locks = disk === nodeDisk ? KERNEL_LOCKS : locksWithin(disk);
    this.#clock = options.clock ?? systemClock;
  }

  /** False when nobody has ever held it. */
  wasEverHeld(): Promise<boolean> {
    return this.#locks.exists(this.#path);
  }

  async hold<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    using _ = await this.#wait(signal);
    return await work();
  }

  async #wait(signal?: AbortSignal): Promise<Disposable> {
    const endMs = this.#clock.monotonicMs() + WAIT_MS_MAX;
    while (this.#clock.monotonicMs() <= endMs) {
      const lock = this.#locks.take(this.#path);
      if (lock) return lock;
      await this.#clock.sleep(POLL_MS, signal);
    }
    const reason = new Error(`another process has held ${this.#path} for more than ${WAIT_MS_MAX} ms`);
    throw bucketErrors.away(this.#dir, reason);
  }
}

interface Locks {
  /** Undefined when somebody else has it. */
  take(path: string): Disposable | undefined;
  exists(path: string): Promise<boolean>;
}

const KERNEL_LOCKS: Locks = {
  take: tryLock,
  exists: async (path) => (await nodeDisk.stat(path)) !== undefined,
};

/** For each disk, which locks there are, and whether they are held. */
const madeOn = new WeakMap<Disk, Map<string, boolean>>();

/** A disk that is not the machine's own: no other process can see it, so its locks live in memory. */
function locksWithin(disk: Disk): Locks {
  const made = madeOn.get(disk) ?? new Map<string, boolean>();
  madeOn.set(disk, made);
  return {
    take(path) {
      if (made.get(path)) return undefined;
      made.set(path, true);
      return { [Symbol.dispose]: () => void made.set(path, false) };
    },
    exists: async (path) => made.has(path),
  };
}
