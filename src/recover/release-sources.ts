import { dirname, join } from 'node:path';
import type { Disk } from '../disk/index.ts';
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
  const keys = filestore?.keys ?? [];
  // The manifest goes first: without it, what is left of a half-removed filestore says so.
  const ordered = [...keys].sort(
    (a, b) => Number(b.endsWith('manifest.json')) - Number(a.endsWith('manifest.json')),
  );
  for (const key of ordered) await site.bucket.remove(key);
  if (site.path === undefined) return;
  const folder = join(dirname(site.path), filestorePrefix(site));
  await tryRemoveEmpty(disk, folder);
  await tryRemoveEmpty(disk, dirname(folder));
}

/** Best effort: an empty directory harms nobody, and another process may be putting something into it. */
async function tryRemoveEmpty(disk: Disk, dir: string): Promise<void> {
  const entries = await disk.list(dir);
  if (entries?.length === 0) await disk.removeTree(dir);
}
