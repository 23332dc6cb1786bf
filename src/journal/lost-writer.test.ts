/** Writers of which something essential is gone: their folder, their records, or the log that was theirs. */
import { copyFileSync, cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import {
  newWriter,
  runRecord,
  sampleFields,
  sampleStart,
  someAnswer,
} from '../../test/sim/journal-fixture.ts';
import { useTempDir } from '../../test/sim/use-temp-dir.ts';
import { nodeDisk } from '../disk/index.ts';
import { findRuns } from './find-runs.ts';
import type { JournalWriter } from './journal-writer.ts';
import { openRunJournals } from './run-journals.ts';
import { isNameless } from './stand-in-records.ts';

const dir = useTempDir();
const run = runRecord();
const living = () => join(dir.path, 'living');
const stateDir = () => join(dir.path, 'state');
const runDir = () => join(stateDir(), run.runId);
const fileOf = (writer: string, name: string) => join(runDir(), writer, name);

const open = () => openRunJournals({ disk: nodeDisk, runDir: runDir() });

async function damageNow() {
  const journals = await open();
  const { damage } = journals;
  journals.close();
  return damage;
}

/** The answers that can be given, by sample. */
async function answersNow(): Promise<readonly unknown[]> {
  const journals = await open();
  const given = [...journals.outline()].map(({ source, n, id }) => [
    id,
    [...source.answers(n)].map(({ value }) => value),
  ]);
  journals.close();
  return given;
}

/** One sample that ended, and one that is under way with an output to score. */
async function work(writer: JournalWriter, ids: readonly [string, string]): Promise<void> {
  const [ended, waiting] = ids;
  const first = writer.startAttempt(sampleStart(ended));
  await first.answer(someAnswer(`of ${ended}`), []);
  await first.finish('completed', sampleFields(ended));
  const second = writer.startAttempt(sampleStart(waiting));
  for (const turn of [0, 1]) await second.answer(someAnswer(`of ${waiting} ${turn}`, turn), []);
  await second.output({ output: 'yes', fields: {} });
}

/** Two writers as crashes leave them: the second goes on with the attempt of the first that has only to be scored. */
beforeEach(async () => {
  const first = await newWriter(living(), run, { writer: 'first' });
  await work(first, ['a', 'b']);
  const earlier = await openRunJournals({ disk: nodeDisk, runDir: join(living(), run.runId) });
  const held = earlier.held();
  earlier.close();
  const second = await newWriter(living(), run, { writer: 'second', generation: 2, after: ['first'], held });
  await second.continueAttempt({ source: first.reader, n: 2 }).finish('completed', sampleFields('b'));
  await work(second, ['c', 'd']);
  const isKept = (path: string) => !path.endsWith('/lock') && !path.endsWith('-shm');
  cpSync(join(living(), run.runId), runDir(), { recursive: true, filter: isKept });
  for (const writer of ['first', 'second']) writeFileSync(fileOf(writer, 'lock'), '');
  first.close();
  second.close();
});

const OF_ALL = [
  ['a', ['of a']],
  ['b', ['of b 0', 'of b 1']],
  ['c', ['of c']],
  ['d', ['of d 0', 'of d 1']],
];

test('nothing is said of a run that is whole', async () => {
  expect(await damageNow()).toEqual({ sentences: [] });
});

test('[JRN-15] a writer whose folder is gone is missed, with the price of what no other journal holds', async () => {
  rmSync(join(runDir(), 'first'), { recursive: true });
  const { sentences, lost } = await damageNow();
  expect(sentences).toEqual([expect.stringMatching(/writer first is gone; it was there when writer second/)]);
  // The two answers of sample b are in the second journal as well.
  expect(sentences[0]).toContain('Answers that are lost: 1, for which $0.25 were paid; results: 1.');
  expect(lost).toEqual({ answers: 1, results: 1, usd: 0.25 });
  const journals = await open();
  expect(journals.isUnpaid()).toBe(false);
  journals.close();
});

test('[JRN-15] a journal that holds less than the next writer saw in it is missed, also without its mark', async () => {
  rmSync(fileOf('first', 'acknowledged'));
  rmSync(fileOf('first', 'journal.db-wal'));
  const { sentences, lost } = await damageNow();
  expect(sentences).toContainEqual(expect.stringMatching(/writer first is shorter than when writer second/));
  expect(lost).toEqual({ answers: 1, results: 1, usd: 0.25 });
});

test('[JRN-14] what a later writer copied is not lost with the journal that it came from, and is counted once', async () => {
  rmSync(fileOf('first', 'journal.db-wal'));
  expect((await damageNow()).lost).toEqual({ answers: 1, results: 1, usd: 0.25 });
});

test('[JRN-14] copies that are lost are not lost answers: their journal of origin has them', async () => {
  rmSync(fileOf('second', 'journal.db-wal'));
  const { lost } = await damageNow();
  // Its own are those of c and d; the result of b is its own, too.
  expect(lost).toEqual({ answers: 3, results: 2, usd: 0.75 });
  expect((await answersNow()).slice(0, 2)).toEqual(OF_ALL.slice(0, 2));
});

test('[JRN-3] a journal whose database and record are gone is read by what another writer says of the run', async () => {
  for (const writer of ['first', 'second']) {
    const kept = ['journal.db', 'record'].map((name) => [name, readFileSync(fileOf(writer, name))] as const);
    for (const [name] of kept) rmSync(fileOf(writer, name));
    expect((await answersNow()).toSorted()).toEqual(OF_ALL);
    const { sentences, lost } = await damageNow();
    expect(sentences.length).toBeGreaterThan(0);
    expect(lost?.answers ?? 0).toBe(0);
    const { found, unreadable } = await findRuns(nodeDisk, stateDir());
    expect(unreadable).toEqual([]);
    expect(found).toMatchObject([{ run, writers: [{ writer: 'first' }, { writer: 'second' }] }]);
    for (const [name, bytes] of kept) writeFileSync(fileOf(writer, name), bytes);
  }
});

async function livenessWithout(writer: string, names: readonly string[]): Promise<readonly string[]> {
  for (const name of names) rmSync(fileOf(writer, name));
  return (await findRuns(nodeDisk, stateDir())).found.map(({ liveness }) => liveness);
}

test('[JRN-8] a writer without records is dead when another came after it', async () => {
  expect(await livenessWithout('first', ['journal.db', 'record', 'acknowledged'])).toEqual(['dead']);
});

test('[JRN-8] the last writer without records is dead when its mark is of this start of the machine, else unknown', async () => {
  expect(await livenessWithout('second', ['journal.db', 'record'])).toEqual(['dead']);
  expect(await livenessWithout('second', ['acknowledged'])).toEqual(['unknown']);
});

test('[JRN-3] when nobody says what run it is, its attempts are read all the same', async () => {
  for (const writer of ['first', 'second'])
    for (const name of ['journal.db', 'record']) rmSync(fileOf(writer, name));
  const { found, unreadable } = await findRuns(nodeDisk, stateDir());
  expect(unreadable).toEqual([]);
  expect(found).toMatchObject([{ dir: runDir(), run: { runId: run.runId }, liveness: 'dead' }]);
  expect(found[0] && isNameless(found[0].run)).toBe(true);
  expect((await answersNow()).toSorted()).toEqual(OF_ALL);
  expect((await damageNow()).sentences.length).toBeGreaterThan(0);
});

test('[JRN-11] a write-ahead log that was another journal’s is not read: its rows are not of this one', async () => {
  const before = new Set((await answersNow()).map((given) => JSON.stringify(given)));
  copyFileSync(fileOf('second', 'journal.db-wal'), fileOf('first', 'journal.db-wal'));
  const { sentences, lost } = await damageNow();
  expect(sentences).toContainEqual(expect.stringContaining('is not the one that it was written to'));
  expect(lost).toMatchObject({ answers: 1, results: 1 });
  for (const given of await answersNow()) expect(before).toContain(JSON.stringify(given));
});

test('[JRN-11] a mark that was another journal’s says nothing: all that is there is read', async () => {
  copyFileSync(fileOf('second', 'acknowledged'), fileOf('first', 'acknowledged'));
  expect((await damageNow()).sentences).toEqual([expect.stringContaining('has no mark')]);
  expect((await answersNow()).toSorted()).toEqual(OF_ALL);
});

test('[JRN-11] a log that was begun anew after its mark was written is still its own', async () => {
  const writer = await newWriter(join(dir.path, 'anew'), run, { writer: 'w' });
  await work(writer, ['a', 'b']);
  const mark = readFileSync(join(writer.dir, 'acknowledged'));
  writer.checkpoint();
  await writer.startAttempt(sampleStart('c')).answer(someAnswer('of c'), []);
  cpSync(writer.dir, join(dir.path, 'copy', run.runId, 'w'), { recursive: true });
  writer.close();
  writeFileSync(join(dir.path, 'copy', run.runId, 'w', 'acknowledged'), mark);
  const journals = await openRunJournals({ disk: nodeDisk, runDir: join(dir.path, 'copy', run.runId) });
  expect(journals.damage.sentences).toEqual([]);
  expect([...journals.outline()]).toHaveLength(3);
  journals.close();
});
