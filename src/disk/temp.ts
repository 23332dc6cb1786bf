import { dirname, join } from 'node:path';
import { type Clock, shortId, systemClock, systemRandom } from '../base/index.ts';
import type { Disk } from './disk.ts';

const TEMP_NAME = /^\.holdfast-[0-9A-Za-z]{22}\.tmp$/;

/**
 * A new name for a file that will become `path`: in the same directory, so that a rename is atomic, and unlike any
 * other, so that two writers never share one. It does not repeat the name of `path`, which may be as long as names can be.
 */
export function tempPathFor(path: string): string {
  return join(dirname(path), `.holdfast-${shortId(systemRandom)}.tmp`);
}

/** True for the last part of what `tempPathFor` gives. */
export function isTempName(name: string): boolean {
  return TEMP_NAME.test(name);
}

export interface SweepOptions {
  /** Younger files are left alone: their writer may be at work. */
  readonly olderThanMs: number;
  readonly clock?: Clock;
}

/** Removes the temporary files that dead writers left directly in `dir`; returns the names that were removed. */
export async function sweepTemps(disk: Disk, dir: string, options: SweepOptions): Promise<readonly string[]> {
  const { olderThanMs, clock = systemClock } = options;
  const removed: string[] = [];
  for (const { name, kind } of (await disk.list(dir)) ?? []) {
    if (kind !== 'file' || !isTempName(name)) continue;
    const stat = await disk.stat(join(dir, name));
    if (!stat || clock.nowMs() - stat.modifiedMs < olderThanMs) continue;
    await disk.remove(join(dir, name));
    removed.push(name);
  }
  return removed;
}
