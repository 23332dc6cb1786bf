import { dirname } from 'node:path';
import process from 'node:process';
import { type Clock, isoTime } from '../base/index.ts';
import { type Disk, identityOfFile, type Lock, whoAmI } from '../disk/index.ts';
import { AcknowledgedFile } from './acknowledged.ts';
import { createDatabase } from './database.ts';
import { journalBusy } from './journal-errors.ts';
import { JournalWriter } from './journal-writer.ts';
import { besideJournal, journalPath } from './layout.ts';
import { writeRecordFile } from './record-file.ts';
import type { RunRecord, WriterRecord } from './records.ts';
import { lockOrBusy } from './run-lock.ts';

export interface WriterPorts {
  readonly disk: Disk;
  readonly clock: Clock;
}

export interface CreateWriterOptions {
  readonly runDir: string;
  readonly run: RunRecord;
  readonly writer: Pick<WriterRecord, 'writer' | 'generation' | 'after' | 'held' | 'builds' | 'reuse'>;
  readonly ports: WriterPorts;
}

/**
 * Begins a journal of this process's own in a run, new or old.
 *
 * ### Ordering
 * The lock is taken before the database exists, so nobody can take a journal that is being born for a dead one. The run
 * record and the writer record are the first transaction; it goes into the database itself before anything is paid for,
 * and the directory is synced after it. So a journal is there with its records, whatever happens to its write-ahead log,
 * or it is an empty shell that holds nothing [JRN-3].
 */
export async function createWriter(options: CreateWriterOptions): Promise<JournalWriter> {
  const { runDir, run, ports } = options;
  const path = journalPath(runDir, options.writer.writer);
  const dir = dirname(path);
  await ports.disk.makeDir(dir);
  const lock = lockOrBusy(besideJournal(path).lock, dir);
  try {
    if (identityOfFile(path) !== undefined) throw journalBusy(dir);
    const record: WriterRecord = {
      ...options.writer,
      process: whoAmI(),
      node: process.versions.node,
      startedAt: isoTime(ports.clock.nowMs()),
    };
    return await begin({ path, dir, run, record, lock, ports });
  } catch (error) {
    lock.release();
    throw error;
  }
}

interface Beginning {
  readonly path: string;
  readonly dir: string;
  readonly run: RunRecord;
  readonly record: WriterRecord;
  readonly lock: Lock;
  readonly ports: WriterPorts;
}

async function begin({ path, dir, run, record, lock, ports }: Beginning): Promise<JournalWriter> {
  const db = createDatabase(path);
  const mark = AcknowledgedFile.create(besideJournal(path).acknowledged);
  const writer = new JournalWriter({ db, path, dir, run, record, lock, mark, clock: ports.clock });
  try {
    writer.begin();
    await writeRecordFile(ports.disk, path, { run, writer: record });
    await ports.disk.syncDir(dir);
    return writer;
  } catch (error) {
    writer.close();
    throw error;
  }
}
