import type { Disk } from '../disk/index.ts';
import type { JournalReader } from './journal-reader.ts';
import { besideJournal } from './layout.ts';

/**
 * When a writer last gave a sign of life: its beat, or the last time that it acknowledged something, whichever is later. For
 * people only: nothing is decided by it.
 */
export async function lastSignMs(disk: Disk, reader: JournalReader): Promise<number | undefined> {
  const mark = await disk.stat(besideJournal(reader.path).acknowledged);
  const signs = [reader.lastBeatMs(), mark?.modifiedMs].filter((ms) => ms !== undefined);
  return signs.length === 0 ? undefined : Math.max(...signs);
}
