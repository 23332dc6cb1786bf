import { join } from 'node:path';
import { type Clock, systemClock } from '../base/index.ts';
import { type Disk, type Locks, locksOf } from '../disk/index.ts';
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
    this.#locks = locksOf(disk);
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
