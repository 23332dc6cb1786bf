import { dirname, join } from 'node:path';

/**
 * What is called what below a run's directory (docs/format/journal.md). A journal of version 1 lies directly in the run's
 * directory; its writer's own name is known only to its run record.
 */
export const JOURNAL_FILE = 'journal.db';
const LOCK_FILE = 'lock';

/** `''` stands for the one writer of version 1. */
export function writerDir(runDir: string, writer: string): string {
  return writer === '' ? runDir : join(runDir, writer);
}

export function journalPath(runDir: string, writer: string): string {
  return join(writerDir(runDir, writer), JOURNAL_FILE);
}

export function runLockPath(runDir: string): string {
  return join(runDir, LOCK_FILE);
}

/** What lies beside a journal: lock, mark, record and fence, and the keys of the segments that it was made from, if it was. */
export function besideJournal(path: string): {
  readonly lock: string;
  readonly acknowledged: string;
  readonly record: string;
  readonly fenced: string;
  readonly segments: string;
} {
  const dir = dirname(path);
  return {
    lock: join(dir, LOCK_FILE),
    acknowledged: join(dir, 'acknowledged'),
    record: join(dir, 'record'),
    fenced: join(dir, 'fenced'),
    segments: join(dir, 'segments'),
  };
}
