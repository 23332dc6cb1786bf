import type { Disk } from './disk.ts';
import { tryLock } from './lock.ts';
import { nodeDisk } from './node-disk.ts';

/** The locks that go with a disk. */
export interface Locks {
  /** Undefined when somebody else has it. The directory must exist. */
  take(path: string): Disposable | undefined;
  /** False when nobody ever took it. */
  exists(path: string): Promise<boolean>;
}

/** Kernel locks for the machine's own disk. Any other one no other process can see, so its locks live in memory. */
export function locksOf(disk: Disk): Locks {
  return disk === nodeDisk ? KERNEL_LOCKS : locksWithin(disk);
}

const KERNEL_LOCKS: Locks = {
  take: tryLock,
  exists: async (path) => (await nodeDisk.stat(path)) !== undefined,
};

/** For each disk, which locks there are, and whether they are held. */
const madeOn = new WeakMap<Disk, Map<string, boolean>>();

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
