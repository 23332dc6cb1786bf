import { dirname, join } from 'node:path';
import type { Disk } from '../disk/index.ts';
import type { Filestore } from '../journal/index.ts';
import type { SourceCheck } from './check-sources.ts';
import type { InspectCrash } from './inspect-crash.ts';
import { filestorePrefix } from './log-site.ts';

/**
 * Deletes the buffers that a log stands for, after that log was checked and has its name: see `checkSources`. All others
 * stay, because somebody may still get more out of them; and so does the crashed log itself. Returns what was deleted.
 */
export async function releaseInspectSources(
  disk: Disk,
  crash: InspectCrash,
  releasable: Pick<SourceCheck, 'databases' | 'isFilestore'>,
): Promise<readonly string[]> {
  const deleted: string[] = [];
  for (const path of releasable.databases) {
    // The main file first: a WAL without it is a leftover, it without its WAL would be half a source.
    for (const ending of ['', '-wal', '-shm', '-journal']) await disk.remove(path + ending);
    await tryRemoveEmpty(disk, dirname(path));
    deleted.push(path);
  }
  if (crash.filestore && releasable.isFilestore) {
    await removeFilestore(disk, crash);
    deleted.push(crash.filestore.place);
  }
  return deleted;
}

async function removeFilestore(disk: Disk, { site, filestore }: InspectCrash): Promise<void> {
  for (const key of [...(filestore?.keys ?? [])].sort(byRemoval)) await site.bucket.remove(key);
  if (site.path === undefined) return;
  const folder = join(dirname(site.path), filestorePrefix(site));
  await tryRemoveEmpty(disk, folder);
  await tryRemoveEmpty(disk, dirname(folder));
}

/**
 * The manifest goes first, then what only it leads to, then the segments from the last to the first: so a filestore that is
 * half removed is one without a manifest, and the next recovery can tell that nothing else of it is missing.
 */
function byRemoval(a: string, b: string): number {
  const stepOf = (key: string) => (key.endsWith('/manifest.json') ? 0 : SEGMENT.test(key) ? 2 : 1);
  const numberOf = (key: string) => Number(SEGMENT.exec(key)?.[1] ?? 0);
  return stepOf(a) - stepOf(b) || numberOf(b) - numberOf(a);
}

const SEGMENT = /\/segment\.(\d+)\.zip$/;

/** Whether a filestore is what an interrupted removal leaves: segments, and nothing that could say more of them. */
export function isHalfRemoved({ manifest, keys }: Filestore): boolean {
  return manifest === undefined && keys.every((key) => SEGMENT.test(key) || key.endsWith('/.keep'));
}

/** Best effort: an empty directory harms nobody, and another process may be putting something into it. */
async function tryRemoveEmpty(disk: Disk, dir: string): Promise<void> {
  const entries = await disk.list(dir);
  if (entries?.length === 0) await disk.removeTree(dir);
}
