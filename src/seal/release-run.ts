import { dirname } from 'node:path';
import { errnoOf } from '../base/index.ts';
import { createFile, type Disk, sweepTemps } from '../disk/index.ts';
import { StateDir } from '../journal/index.ts';

/**
 * Lets a run go, after its log is in place. The caller holds the lock of the run.
 *
 * ### Ordering
 * The directory gets another name first, and that is synced: from then on it is no run. Its files go afterwards; a
 * crash in between leaves an orphan that `sweepReleased` removes, never half a journal [SEAL-3]. Journals that somebody asked
 * to keep only get another place, where no run takes them up.
 */
export async function releaseRun(disk: Disk, state: StateDir, runId: string): Promise<void> {
  if (await disk.stat(state.keepMark(runId)))
    return void (await moveAside(disk, state, runId, state.keptDir(runId)));
  const released = state.releasedDir(runId);
  await disk.removeTree(released);
  if (await tryMove(disk, state.runDir(runId), released)) await disk.removeTree(released);
}

/** From now on the journals of a run stay, whoever finishes it. */
export async function keepJournals(disk: Disk, state: StateDir, runId: string): Promise<void> {
  await createFile(disk, state.keepMark(runId), new Uint8Array());
}

/** Keeps a run whose journals could not be read whole, where nobody goes on with it [SEAL-5]. Gives its new place. */
export function setRunAside(disk: Disk, state: StateDir, runId: string): Promise<string> {
  return moveAside(disk, state, runId, state.damagedDir(runId));
}

/** What an earlier one left under that name stays: this one gets a number. */
async function moveAside(disk: Disk, state: StateDir, runId: string, first: string): Promise<string> {
  await disk.makeDir(dirname(first));
  for (let number = 1; ; number++) {
    const place = number === 1 ? first : `${first}-${number}`;
    if (await disk.stat(place)) continue;
    try {
      await tryMove(disk, state.runDir(runId), place);
      return place;
    } catch (error) {
      // Somebody took the name just now: no directory takes the place of one that holds something.
      if (!TAKEN.has(errnoOf(error) ?? '')) throw error;
    }
  }
}

const TAKEN: ReadonlySet<string> = new Set(['ENOTEMPTY', 'EEXIST']);

/** Removes what a crash left of runs that were let go, or that were on their way here; what the living bring home is left. */
export async function sweepReleased(disk: Disk, state: StateDir): Promise<void> {
  for (const { name, kind } of (await disk.list(state.path)) ?? []) {
    if (kind === 'directory' && StateDir.isReleased(name)) await disk.removeTree(state.runDir(name));
  }
  await sweepTemps(disk, state.path);
}

/** False when somebody else moved it just now. */
async function tryMove(disk: Disk, from: string, to: string): Promise<boolean> {
  try {
    await disk.rename(from, to);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return false;
    throw error;
  }
  await disk.syncDir(dirname(from));
  if (dirname(to) !== dirname(from)) await disk.syncDir(dirname(to));
  return true;
}
