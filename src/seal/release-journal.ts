import { basename, dirname, join } from 'node:path';
import { errnoOf } from '../base/index.ts';
import type { Disk } from '../disk/index.ts';

/** A journal directory that is on its way out has this ending: nobody takes it for a journal. */
const RELEASED = '.released';

/**
 * Lets a journal go, after its log is in place.
 *
 * ### Ordering
 * The directory gets another name first, and that is synced: from then on it is no journal. Its files go afterwards; a
 * crash in between leaves an orphan that `sweepReleased` removes, never half a journal [SEAL-3].
 */
export async function releaseJournal(disk: Disk, dir: string): Promise<void> {
  const released = join(dirname(dir), `${basename(dir)}${RELEASED}`);
  await disk.removeTree(released);
  try {
    await disk.rename(dir, released);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return; // Somebody else let it go just now.
    throw error;
  }
  await disk.syncDir(dirname(dir));
  await disk.removeTree(released);
}

/** Removes what a crash left of journals that were let go. */
export async function sweepReleased(disk: Disk, stateDir: string): Promise<void> {
  for (const { name, kind } of (await disk.list(stateDir)) ?? []) {
    if (kind === 'directory' && name.endsWith(RELEASED)) await disk.removeTree(join(stateDir, name));
  }
}
