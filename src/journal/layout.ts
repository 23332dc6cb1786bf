import { basename, dirname, join } from 'node:path';
import type { Disk } from '../disk/index.ts';

/**
 * What is called what below a run's directory (docs/format/journal.md). A journal of version 1 lies directly in the run's
 * directory; its writer's own name is known only to its run record.
 */
const JOURNAL_FILE = 'journal.db';
const LOCK_FILE = 'lock';

/** The place of one writer of a run. */
export interface WriterPlace {
  /** The name of its folder, or `''` for the one writer of version 1. */
  readonly writer: string;
  readonly dir: string;
  readonly path: string;
}

export function writerDir(runDir: string, writer: string): string {
  return writer === '' ? runDir : join(runDir, writer);
}

export function journalPath(runDir: string, writer: string): string {
  return join(writerDir(runDir, writer), JOURNAL_FILE);
}

export function runLockPath(runDir: string): string {
  return join(runDir, LOCK_FILE);
}

/** The lock, the mark, the record and the fence that lie beside a journal. */
export function besideJournal(path: string): {
  readonly lock: string;
  readonly acknowledged: string;
  readonly record: string;
  readonly fenced: string;
} {
  const dir = dirname(path);
  return {
    lock: join(dir, LOCK_FILE),
    acknowledged: join(dir, 'acknowledged'),
    record: join(dir, 'record'),
    fenced: join(dir, 'fenced'),
  };
}

/** True for a name that lock files have. */
export function isLockName(path: string): boolean {
  return basename(path) === LOCK_FILE;
}

/** Every writer that has a journal below a run's directory, by name; the one of version 1 first. */
export async function writersIn(disk: Disk, runDir: string): Promise<readonly WriterPlace[]> {
  const places: WriterPlace[] = [];
  for (const { name, kind } of (await disk.list(runDir)) ?? []) {
    if (kind === 'file' && name === JOURNAL_FILE) places.push(placeOf(runDir, ''));
    if (kind !== 'directory' || !isWriterName(name)) continue;
    if (await isJournalThere(disk, journalPath(runDir, name))) places.push(placeOf(runDir, name));
  }
  return places.sort((a, b) => (a.writer < b.writer ? -1 : 1));
}

/** A journal whose database is gone, but whose record is there, was there: unreadable is not absent. */
async function isJournalThere(disk: Disk, path: string): Promise<boolean> {
  return ((await disk.stat(path)) ?? (await disk.stat(besideJournal(path).record))) !== undefined;
}

/** Names that begin with a point are temporary. */
function isWriterName(name: string): boolean {
  return !name.startsWith('.');
}

function placeOf(runDir: string, writer: string): WriterPlace {
  return { writer, dir: writerDir(runDir, writer), path: journalPath(runDir, writer) };
}
