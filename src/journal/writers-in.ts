import { ActionableError } from '../base/index.ts';
import type { Disk } from '../disk/index.ts';
import { besideJournal, JOURNAL_FILE, journalPath, writerDir } from './layout.ts';
import { openUnchecked } from './read-journal.ts';

/** The place of one writer of a run. */
export interface WriterPlace {
  /** Its name: that of its folder, or the one that a journal of version 1 says; empty when that cannot be read. */
  readonly writer: string;
  readonly dir: string;
  readonly path: string;
}

/** Every writer that has a journal below a run's directory, by name. */
export async function writersIn(disk: Disk, runDir: string): Promise<readonly WriterPlace[]> {
  const places: WriterPlace[] = [];
  const entries = (await disk.list(runDir)) ?? [];
  const isOld = (name: string) => name === JOURNAL_FILE || name === `${JOURNAL_FILE}-wal`;
  if (entries.some(({ name, kind }) => kind === 'file' && isOld(name))) places.push(placeOfVersion1(runDir));
  for (const { name, kind } of entries) {
    // Names that begin with a point are temporary.
    if (kind !== 'directory' || name.startsWith('.')) continue;
    const path = journalPath(runDir, name);
    if (await isJournalThere(disk, path)) places.push({ writer: name, dir: writerDir(runDir, name), path });
  }
  return places.sort((a, b) => (a.writer < b.writer ? -1 : 1));
}

/** A journal of which anything is left was there: unreadable is not absent. */
async function isJournalThere(disk: Disk, path: string): Promise<boolean> {
  const { record, acknowledged } = besideJournal(path);
  for (const one of [path, record, acknowledged, `${path}-wal`])
    if ((await disk.stat(one)) !== undefined) return true;
  return false;
}

function placeOfVersion1(runDir: string): WriterPlace {
  const path = journalPath(runDir, '');
  return { writer: tryReadName(path), dir: runDir, path };
}

/** Best effort: whoever reads the journal says what is wrong with it. */
function tryReadName(path: string): string {
  try {
    const reader = openUnchecked(path);
    try {
      return reader.writer().writer;
    } finally {
      reader.close();
    }
  } catch (error) {
    if (error instanceof ActionableError) return '';
    throw error;
  }
}
