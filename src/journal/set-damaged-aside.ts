import { basename, dirname, join } from 'node:path';
import { copyTree, type Disk } from '../disk/index.ts';
import { countUnreadableCommits } from './wal-damage.ts';

/** Below the state directory: copies of journals as they were found damaged. */
const DAMAGED_FOLDER = 'damaged';

/**
 * SQLite reads a damaged write-ahead log up to the damage and then forgets the rest. Before it may, the whole journal is
 * copied as it is, so that nothing which might still be saved is lost. Gives a sentence that names it.
 */
export async function setDamagedAside(disk: Disk, journalDir: string): Promise<string | undefined> {
  const wal = join(journalDir, 'journal.db-wal');
  const unreadable = await countUnreadableCommits(disk, wal);
  if (unreadable < 2) return undefined;
  const copy = join(dirname(journalDir), DAMAGED_FOLDER, basename(journalDir));
  if (!(await disk.stat(copy))) {
    await disk.makeDir(dirname(copy));
    await copyTree(journalDir, copy);
  }
  return `${wal} is damaged: ${unreadable} transaction(s) in it cannot be read. All that is whole was kept; the damaged files are in ${copy}.`;
}
