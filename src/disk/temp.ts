import { dirname, join } from 'node:path';
import { type Clock, errnoOf, shortId, systemClock, systemRandom } from '../base/index.ts';
import type { Disk } from './disk.ts';
import type { LivenessOptions } from './liveness.ts';
import { livenessOfToken, myToken, processToken, TOKEN_PATTERN } from './process-token.ts';

/** Names of before had no token: nobody can tell who wrote such a file, so only its age counts. */
const TEMP_NAME = new RegExp(
  `^\\.holdfast-(?:claim-[0-9a-f]{16}-)?(?:(${TOKEN_PATTERN})-)?[0-9A-Za-z]{22}\\.tmp$`,
);

/**
 * A new name for a file or a directory that will become `path`: in the same directory, so that a rename is atomic, and unlike any
 * other, so that two writers never share one. It names this process, so that others can tell whether it is still being
 * written. It does not repeat the name of `path`, which may be as long as names can be.
 */
export function tempPathFor(path: string, options: Pick<LivenessOptions, 'self'> = {}): string {
  const token = options.self ? processToken(options.self) : myToken();
  return join(dirname(path), `.holdfast-${token}-${shortId(systemRandom)}.tmp`);
}

/** True for the last part of what `tempPathFor` gives, or once gave, and for a claim. */
export function isTempName(name: string): boolean {
  return TEMP_NAME.test(name);
}

export interface SweepOptions extends LivenessOptions {
  /** Of writers that may be alive elsewhere, younger files are left alone. Default: a day. */
  readonly olderThanMs?: number;
  readonly clock?: Clock;
}

const DAY_MS = 86_400_000;

/**
 * Removes the temporary files and directories that dead writers left directly in `dir`: at once those of dead processes of this
 * machine, by age those of whom nothing is known, and never those of the living. Gives the names that were removed.
 */
export async function sweepTemps(
  disk: Disk,
  dir: string,
  options: SweepOptions = {},
): Promise<readonly string[]> {
  const { olderThanMs = DAY_MS, clock = systemClock } = options;
  const removed: string[] = [];
  for (const { name, kind } of (await disk.list(dir)) ?? []) {
    if (kind === 'other' || !isTempName(name)) continue;
    const liveness = livenessOfWriter(name, options);
    if (liveness === 'alive') continue;
    if (liveness === 'unknown') {
      const stat = await disk.stat(join(dir, name));
      if (!stat || clock.nowMs() - stat.modifiedMs < olderThanMs) continue;
    }
    const remove = kind === 'file' ? disk.remove : disk.removeTree;
    if (await isAllowed(() => remove.call(disk, join(dir, name)))) removed.push(name);
  }
  return removed;
}

/** In a directory that many users share, what others left is not ours to remove. */
async function isAllowed(remove: () => Promise<void>): Promise<boolean> {
  try {
    await remove();
    return true;
  } catch (error) {
    const { cause } = error instanceof Error ? error : { cause: undefined };
    const errno = errnoOf(cause) ?? errnoOf(error);
    if (errno === 'EACCES' || errno === 'EPERM' || errno === 'EROFS') return false;
    throw error;
  }
}

function livenessOfWriter(name: string, options: LivenessOptions) {
  const token = TEMP_NAME.exec(name)?.[1];
  return token === undefined ? 'unknown' : livenessOfToken(token, options);
}
