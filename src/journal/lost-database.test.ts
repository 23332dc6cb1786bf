import { cpSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  newWriter,
  runRecord,
  sampleFields,
  sampleStart,
  someAnswer,
} from '../../test/sim/journal-fixture.ts';
import { makeTempDir, type TempDir } from '../../test/sim/temp-dir.ts';
import { nodeDisk } from '../disk/index.ts';
import { findRuns } from './find-runs.ts';
import { journalPath } from './layout.ts';
import { readJournal } from './read-journal.ts';
import type { RunRecord } from './records.ts';
import { openRunJournals } from './run-journals.ts';

const SAMPLES = 5;
const LOST = { answers: SAMPLES, results: SAMPLES, usd: SAMPLES * 0.25 };
const ALL = Array.from({ length: SAMPLES }, (_, id) => [id, 'completed', `answer ${id}`]);

let dir: TempDir;
let run: RunRecord;
let stateDir = '';
let runDir = '';
let path = '';

/** A journal as a crash leaves it: its records in the database, all else in the write-ahead log. */
beforeEach(async () => {
  dir = await makeTempDir();
  run = runRecord();
  const writer = await newWriter(join(dir.path, 'living'), run, { writer: 'w' });
  for (let id = 0; id < SAMPLES; id++) {
    const attempt = writer.startAttempt(sampleStart(id));
    await attempt.answer(someAnswer(`answer ${id}`), []);
    await attempt.finish('completed', sampleFields(id));
  }
  stateDir = join(dir.path, 'state');
  runDir = join(stateDir, run.runId);
  path = journalPath(runDir, 'w');
  const isKept = (name: string) => !name.endsWith('/lock') && !name.endsWith('-shm');
  cpSync(writer.dir, join(runDir, 'w'), { recursive: true, filter: isKept });
  writeFileSync(join(runDir, 'w', 'lock'), '');
  writer.close();
});
afterEach(() => dir[Symbol.asyncDispose]());

async function expectAllSaved(): Promise<void> {
  const { found, unreadable } = await findRuns(nodeDisk, stateDir);
  expect(unreadable).toEqual([]);
  expect(found).toMatchObject([{ run, liveness: 'dead', writers: [{ writer: 'w' }] }]);
  const journals = await openRunJournals({ disk: nodeDisk, runDir });
  const [alone, reader] = [readJournal(path), journals.readers[0]];
  for (const one of [alone, reader]) {
    const saved = [...(one?.outline() ?? [])].map(({ n, id, status }) => [
      id,
      status,
      [...(one?.answers(n) ?? [])][0]?.value,
    ]);
    expect(saved).toEqual(ALL);
  }
  expect(journals.damage.sentences.length).toBeGreaterThan(0);
  alone.close();
  journals.close();
}

const HARMS: ReadonlyArray<readonly [string, () => void]> = [
  ['empty', () => truncateSync(path, 0)],
  ['of one byte', () => truncateSync(path, 1)],
  ['garbage', () => writeFileSync(path, Buffer.alloc(40_000, 'no database'))],
  ['gone', () => rmSync(path)],
];

for (const [what, harm] of HARMS) {
  test(`a database that is ${what}: nobody touches its write-ahead log, and all in it comes back`, async () => {
    harm();
    const log = readFileSync(`${path}-wal`);
    expect(log.length).toBeGreaterThan(0);
    await expectAllSaved();
    expect(readFileSync(`${path}-wal`).equals(log)).toBe(true);
    rmSync(join(runDir, 'w', 'acknowledged'));
    await expectAllSaved();
    expect(readFileSync(`${path}-wal`).equals(log)).toBe(true);
  });
}

test('a database that is emptied under its living writer is not touched either', async () => {
  const own = join(dir.path, 'own');
  const writer = await newWriter(own, run, { writer: 'w' });
  await writer.startAttempt(sampleStart('a')).answer(someAnswer('one'), []);
  truncateSync(writer.reader.path, 0);
  const log = readFileSync(`${writer.reader.path}-wal`);
  expect((await findRuns(nodeDisk, own)).found).toMatchObject([{ run, liveness: 'alive' }]);
  const reader = readJournal(writer.reader.path);
  expect([...reader.answers(1)].map(({ value }) => value)).toEqual(['one']);
  reader.close();
  expect(readFileSync(`${writer.reader.path}-wal`).equals(log)).toBe(true);
  writer.close();
});

test('[JRN-11] a journal of which only the mark is left is no shell: what is lost is counted', async () => {
  rmSync(path);
  rmSync(`${path}-wal`);
  rmSync(join(runDir, 'w', 'record'));
  const code = 'E_JOURNAL_DAMAGED';
  const { found, unreadable } = await findRuns(nodeDisk, stateDir);
  expect(found).toEqual([]);
  expect(unreadable).toMatchObject([{ dir: runDir, path, code, lost: LOST }]);
  expect(unreadable[0]?.reason).toContain('$1.25');
  const journals = await openRunJournals({ disk: nodeDisk, runDir });
  expect(journals.damage).toEqual({ sentences: [unreadable[0]?.reason], lost: LOST });
  expect(journals.isUnpaid()).toBe(false);
  expect(() => journals.run()).toThrow(expect.objectContaining({ code: 'E_JOURNAL_EMPTY' }));
});

test('a journal of which only the write-ahead log is left is read without a name, or named when nothing can be read', async () => {
  rmSync(path);
  for (const name of ['record', 'acknowledged']) rmSync(join(runDir, 'w', name));
  const nameless = { dir: runDir, run: { identity: { eval: '' } } };
  for (const [bytes, isReadable] of [
    [readFileSync(`${path}-wal`), true],
    [Buffer.alloc(50_000, 'garbage'), false],
  ] as const) {
    writeFileSync(`${path}-wal`, bytes);
    const { found, unreadable } = await findRuns(nodeDisk, stateDir);
    expect(found).toMatchObject(isReadable ? [nameless] : []);
    expect(unreadable).toMatchObject(isReadable ? [] : [{ dir: runDir, path, code: 'E_JOURNAL_DAMAGED' }]);
    const journals = await openRunJournals({ disk: nodeDisk, runDir });
    expect(journals.damage.sentences.length).toBeGreaterThan(0);
    journals.close();
    expect(readFileSync(`${path}-wal`).equals(bytes)).toBe(true);
  }
});

test('a shell stays a shell: nothing was acknowledged but its beginning', async () => {
  const born = join(dir.path, 'born');
  const writer = await newWriter(born, run, { writer: 'w' });
  writer.close();
  for (const name of ['journal.db', 'record']) rmSync(join(writer.dir, name));
  rmSync(`${writer.reader.path}-wal`, { force: true });
  expect((await findRuns(nodeDisk, born)).unreadable).toMatchObject([{ code: 'E_JOURNAL_EMPTY' }]);
  truncateSync(join(writer.dir, 'acknowledged'), 0);
  writeFileSync(writer.reader.path, '');
  const [shell] = (await findRuns(nodeDisk, born)).unreadable;
  expect(shell).toMatchObject({ code: 'E_JOURNAL_EMPTY' });
  expect(shell).not.toHaveProperty('lost');
});
