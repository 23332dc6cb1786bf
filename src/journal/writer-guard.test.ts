import { cpSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  filledJournal,
  newWriter,
  runRecord,
  sampleStart,
  someAnswer,
} from '../../test/sim/journal-fixture.ts';
import { makeTempDir, type TempDir } from '../../test/sim/temp-dir.ts';
import { systemClock } from '../base/index.ts';
import type { JournalWriter } from './journal-writer.ts';
import { readJournal } from './read-journal.ts';

let dir: TempDir;
beforeEach(async () => {
  dir = await makeTempDir();
});
afterEach(() => dir[Symbol.asyncDispose]());

test('[JRN-13] a directory that cannot be asked for any more stops its writer within a second, as one that is gone does', async () => {
  const writer = await filledJournal(dir.path);
  renameSync(writer.dir, `${writer.dir}.moved`);
  // A link that leads to itself: the system answers neither "there" nor "not there".
  symlinkSync(writer.dir, writer.dir);
  for (let ms = 0; ms < 1_000 && writer.failure === undefined; ms += 20) await systemClock.sleep(20);
  expect(writer.failure).toMatchObject({ code: 'ELOOP' });
  await expect(writer.flush()).rejects.toBe(writer.failure);
  writer.close();
});

test('[JRN-11] a price that is no number does not cost the mark', async () => {
  const writer = await newWriter(dir.path, runRecord());
  const attempt = writer.startAttempt(sampleStart('a'));
  for (const [index, costUsd] of [0.25, Number.NaN, Number.POSITIVE_INFINITY].entries())
    await attempt.answer({ ...someAnswer('yes', index), costUsd }, []);
  writer.close();
  const reader = readJournal(writer.reader.path);
  expect(reader.damage().sentences).toEqual([]);
  reader.close();
});

/** The files as a SIGKILL leaves them: those that have a name. */
function asKilled(from: string, name: string): string {
  const copy = join(dir.path, name, 'w');
  const isKept = (path: string) => !path.endsWith('/lock') && !path.endsWith('-shm');
  cpSync(from, copy, { recursive: true, filter: isKept });
  return join(copy, 'journal.db');
}

async function writerWithAnswers() {
  const writer = await newWriter(dir.path, runRecord(), { writer: 'w' });
  const attempt = writer.startAttempt(sampleStart('a'));
  for (let turn = 0; turn < 5; turn++) await attempt.answer(someAnswer(`answer ${turn}`, turn), []);
  return { writer, attempt };
}

async function failureOf(writer: JournalWriter): Promise<unknown> {
  for (let ms = 0; ms < 1_000 && writer.failure === undefined; ms += 20) await systemClock.sleep(20);
  return writer.failure;
}

test('[JRN-13] a write-ahead log that is deleted under its writer is noticed within a second, and what it held is saved', async () => {
  const { writer, attempt } = await writerWithAnswers();
  rmSync(`${writer.reader.path}-wal`);
  expect(await failureOf(writer)).toMatchObject({ code: 'E_JOURNAL_VANISHED' });
  await expect(attempt.answer(someAnswer('late', 9), [])).rejects.toBe(writer.failure);
  const reader = readJournal(asKilled(writer.dir, 'killed'));
  expect(reader.damage().sentences).toEqual([]);
  expect([...reader.answers(1)]).toHaveLength(5);
  reader.close();
  writer.close();
});

test('[JRN-13] nothing is acknowledged that went into a write-ahead log without a name', async () => {
  const { writer, attempt } = await writerWithAnswers();
  rmSync(`${writer.reader.path}-wal`);
  await expect(attempt.answer(someAnswer('late', 9), [])).rejects.toMatchObject({
    code: 'E_JOURNAL_VANISHED',
  });
  const reader = readJournal(asKilled(writer.dir, 'killed'));
  expect(reader.damage().sentences).toEqual([]);
  expect([...reader.answers(1)].length).toBeGreaterThanOrEqual(5);
  reader.close();
  writer.close();
});

test('[JRN-13] a write-ahead log that is emptied in place, or written over, stops its writer', async () => {
  const harms = [
    (log: string) => truncateSync(log, 0),
    (log: string) => writeFileSync(log, ''),
    (log: string) => writeFileSync(log, Buffer.alloc(4096, 'garbage')),
  ];
  for (const harm of harms) {
    const { writer, attempt } = await writerWithAnswers();
    harm(`${writer.reader.path}-wal`);
    await expect(attempt.answer(someAnswer('late', 9), [])).rejects.toMatchObject({
      code: 'E_JOURNAL_VANISHED',
    });
    // SQLite would move what it cannot read any more into the database: as after SIGKILL nobody does.
    const reader = readJournal(asKilled(writer.dir, 'killed'));
    expect(reader.damage().sentences.length).toBeGreaterThan(0);
    reader.close();
    rmSync(join(dir.path, 'killed'), { recursive: true });
  }
});

test('[JRN-13] an emptied log is noticed within a second also when nothing is written', async () => {
  const { writer } = await writerWithAnswers();
  truncateSync(`${writer.reader.path}-wal`, 0);
  expect(await failureOf(writer)).toMatchObject({ code: 'E_JOURNAL_VANISHED' });
});

test('[JRN-13] a mark that is taken away stops its writer', async () => {
  const { writer } = await writerWithAnswers();
  rmSync(join(writer.dir, 'acknowledged'));
  expect(await failureOf(writer)).toMatchObject({ code: 'E_JOURNAL_VANISHED' });
  writer.close();
});
