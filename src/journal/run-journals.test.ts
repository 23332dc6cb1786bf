import { rmSync, writeFileSync } from 'node:fs';
import { cp, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { unpack } from '../../test/golden/journal/golden-journal.ts';
import {
  filledJournal,
  newWriter,
  runRecord,
  sampleFields,
  sampleStart,
  someAnswer,
} from '../../test/sim/journal-fixture.ts';
import { useTempDir } from '../../test/sim/use-temp-dir.ts';
import { isRunId, seededRandom, shuffled, systemClock } from '../base/index.ts';
import { nodeDisk } from '../disk/index.ts';
import { summarize } from '../log/index.ts';
import { briefRunRecord } from './brief-run-record.ts';
import { fenceWriter } from './fence.ts';
import { findRuns, sweepShells } from './find-runs.ts';
import type { JournalWriter } from './journal-writer.ts';
import { readJournal } from './read-journal.ts';
import { openRunJournals, RunJournals } from './run-journals.ts';
import { lockRun } from './run-lock.ts';
import { writersIn } from './writers-in.ts';

const dir = useTempDir();

const lend = (writer: JournalWriter, id: string, log: string) =>
  writer.recordReuse({ id, epoch: 1, log, runId: 'r', mode: 'same', summary: summarize(sampleFields(id)) });

const runDirOf = (runId: string) => join(dir.path, runId);
const open = (runId: string) => openRunJournals({ disk: nodeDisk, runDir: runDirOf(runId) });

test('[JRN-15] attempts come in the order of generation and number, whatever the order of writers and clocks', async () => {
  const run = runRecord();
  // Begun in an order, with names, that say nothing about their generations.
  for (const [writer, generation] of [
    ['c', 3],
    ['z', 1],
    ['a', 2],
    ['b', 2],
  ] as const) {
    const journal = await newWriter(dir.path, run, { writer, generation, after: [] });
    for (let n = 0; n < 2; n++)
      await journal.startAttempt(sampleStart('s')).finish('errored', sampleFields('s'));
    journal.close();
  }
  const journals = await open(run.runId);
  const expected = ['z/1', 'z/2', 'a/1', 'a/2', 'b/1', 'b/2', 'c/1', 'c/2'].map(
    (name) => `${run.runId}/${name}`,
  );
  for (let seed = 0; seed < 10; seed++) {
    const readers = shuffled(journals.readers, seededRandom(seed));
    const same = new RunJournals(readers, { runDir: '', unreadable: [] });
    expect(same.attemptsAt('s', 1).map(({ origin }) => origin)).toEqual(expected);
    expect([...same.outline()].map(({ origin }) => origin)).toEqual(expected);
  }
  expect(journals.nextGeneration).toBe(4);
  journals.close();
});

test('[JRN-18] of journals of one run the one that names its samples says which they are, wherever it stands; else nobody does', async () => {
  const { start, ...record } = runRecord();
  const dataset = { ...start.eval.dataset, sample_ids: ['a', 'b', 'c'] };
  const run = { ...record, planned: 3, start: { ...start, eval: { ...start.eval, dataset } } };
  const brief = briefRunRecord(run);
  for (const writer of ['one', 'two']) (await newWriter(dir.path, brief, { writer })).close();
  const before = await open(run.runId);
  expect(before.run()).toEqual(brief);
  expect(before.run().start.eval.dataset.sample_ids).toBeUndefined();
  before.close();
  (await newWriter(dir.path, run, { writer: 'zzz' })).close();
  const after = await open(run.runId);
  expect(after.run()).toEqual(run);
  after.close();
  const { found } = await findRuns(nodeDisk, dir.path);
  expect(found.map((one) => one.run)).toEqual([run]);
});

test('[JRN-16] what logs lend counts only from writers that nobody came after', async () => {
  const run = runRecord();
  const one = await newWriter(dir.path, run, { writer: 'one' });
  lend(one, 'x', 'old.eval');
  lend(one, 'y', 'old.eval');
  await one.flush();
  const two = await newWriter(dir.path, run, { writer: 'two', generation: 2, after: ['one'] });
  lend(two, 'x', 'first.eval');
  lend(two, 'x', 'second.eval');
  await two.flush();
  const beside = await newWriter(dir.path, run, { writer: 'three', generation: 2, after: ['one'] });
  lend(beside, 'z', 'third.eval');
  await beside.flush();
  for (const writer of [one, two, beside]) writer.close();
  const journals = await open(run.runId);
  expect([...journals.reused()].map(({ id, log }) => [id, log])).toEqual([
    ['z', 'third.eval'],
    ['x', 'second.eval'],
  ]);
  journals.close();
});

test('[JRN-14] the union of journals, of copies of them and of carried attempts holds each attempt once, and counts its money once', async () => {
  const run = runRecord();
  const one = await newWriter(dir.path, run, { writer: 'one' });
  for (const id of ['a', 'b']) {
    const attempt = one.startAttempt(sampleStart(id));
    await attempt.answer(someAnswer(id), []);
    await attempt.finish('completed', sampleFields(id));
  }
  const two = await newWriter(dir.path, run, { writer: 'two', generation: 2, after: ['one'] });
  two.copyFrom(one.reader, [1, 2]);
  const three = await newWriter(dir.path, run, { writer: 'three', generation: 3, after: ['one', 'two'] });
  three.copyFrom(two.reader, [2]);
  for (const writer of [one, two, three]) writer.close();
  for (const readers of [3, 4]) {
    const journals = await open(run.runId);
    expect(journals.readers).toHaveLength(readers);
    const origins = [...journals.outline()].map(({ origin, status }) => [origin, status]);
    expect(origins).toEqual([
      [`${run.runId}/one/1`, 'completed'],
      [`${run.runId}/one/2`, 'completed'],
    ]);
    expect(journals.attemptsAt('b', 1)).toHaveLength(1);
    expect(journals.spentUsd()).toBe(0.5);
    journals.close();
    // And the same writer twice, as after an import beside a journal that is still there.
    await cp(join(runDirOf(run.runId), 'one'), join(runDirOf(run.runId), 'one-again'), { recursive: true });
  }
});

test('a copy that is damaged does not stand for one that is whole', async () => {
  const run = runRecord();
  const one = await filledJournal(dir.path, run, { writer: 'one' });
  const two = await newWriter(dir.path, run, { writer: 'two', generation: 2, after: ['one'] });
  two.copyFrom(one.reader, [1]);
  one.close();
  two.close();
  const path = join(runDirOf(run.runId), 'one', 'journal.db');
  const bytes = Buffer.from((await nodeDisk.read(path)) ?? []);
  for (let at = bytes.indexOf('a long'); at >= 0; at = bytes.indexOf('a long', at + 1)) bytes[at] = 0x5a;
  writeFileSync(path, bytes);
  const journals = await open(run.runId);
  const [attempt] = journals.attemptsAt('a', 1);
  expect(attempt?.source.writer().writer).toBe('two');
  expect(attempt?.status).toBe('completed');
  expect(journals.damage.sentences.join(' ')).toContain(path);
  journals.close();
});

test('[JRN-8] a run is alive while one of its writers or its lock is held, dead when all ended or are gone, and fenced writers do not count', async () => {
  const run = runRecord();
  const liveness = async () => (await findRuns(nodeDisk, dir.path)).found.map((found) => found.liveness);
  const writer = await newWriter(dir.path, run, { writer: 'w' });
  expect(await liveness()).toEqual(['alive']);
  await writer.end('interrupted');
  expect(await liveness()).toEqual(['alive']);
  writer.close();
  expect(await liveness()).toEqual(['dead']);
  const lock = lockRun(runDirOf(run.runId));
  expect(() => lockRun(runDirOf(run.runId))).toThrow(expect.objectContaining({ code: 'E_JOURNAL_BUSY' }));
  expect(await liveness()).toEqual(['alive']);
  lock.release();
  expect(() => lockRun(join(dir.path, 'gone'))).toThrow(expect.objectContaining({ code: 'E_JOURNAL_BUSY' }));

  // A writer on a machine that nobody here knows: whether it lives cannot be told, until somebody vouches for its death.
  await unpack(
    join(import.meta.dirname, '../../test/golden/journal/v2/good/run'),
    join(runDirOf(run.runId), 'far'),
  );
  expect(await liveness()).toEqual(['unknown']);
  await fenceWriter(nodeDisk, runDirOf(run.runId), 'far');
  await fenceWriter(nodeDisk, runDirOf(run.runId), 'far');
  const { found } = await findRuns(nodeDisk, dir.path);
  expect(found).toMatchObject([
    {
      liveness: 'dead',
      writers: [{ liveness: 'dead' }, { writer: 'w', liveness: 'dead' }],
    },
  ]);
});

test('a run of version 1 is found, fenced, and gone on with by a writer beside it', async () => {
  const old = join(import.meta.dirname, '../../test/golden/journal/v1/good/run');
  const runId = '20260101T000000000-AbCdEfGh12';
  await unpack(old, runDirOf(runId));
  const { found } = await findRuns(nodeDisk, dir.path);
  expect(found).toMatchObject([{ liveness: 'unknown', writers: [{ writer: 'old-writer' }] }]);
  await fenceWriter(nodeDisk, runDirOf(runId), 'old-writer');
  expect((await findRuns(nodeDisk, dir.path)).found).toMatchObject([{ liveness: 'dead' }]);
  const earlier = await open(runId);
  expect(isRunId(earlier.run().runId)).toBe(true);
  expect(earlier.nextGeneration).toBe(1);
  const after = earlier.writers().map(({ writer }) => writer);
  const next = await newWriter(dir.path, earlier.run(), { writer: 'next', generation: 1, after });
  const journals = earlier.with(next.reader);
  const [unfinished] = journals.attemptsAt('under way', 1);
  if (!unfinished) throw new Error('the attempt is not there');
  await next.continueAttempt(unfinished).finish('completed', sampleFields('under way'));
  expect(journals.attemptsAt('under way', 1).map(({ status, origin }) => [status, origin])).toEqual([
    ['completed', `${runId}/old-writer/4`],
  ]);
  expect(journals.attemptsAt(1, 1).map(({ id }) => id)).toEqual([1, '1']);
  next.close();
  journals.close();
  expect((await writersIn(nodeDisk, runDirOf(runId))).map(({ writer }) => writer)).toEqual([
    'next',
    'old-writer',
  ]);
});

test('one journal of which nothing can be read is named, and the others are used', async () => {
  const run = runRecord();
  const whole = await filledJournal(dir.path, run, { writer: 'whole' });
  const broken = await filledJournal(dir.path, run, { writer: 'broken' });
  whole.close();
  broken.close();
  for (const name of ['record', 'acknowledged']) rmSync(join(broken.dir, name));
  writeFileSync(broken.reader.path, new Uint8Array(500_000).fill(7));
  const journals = await open(run.runId);
  expect(journals.readers.flatMap((reader) => [...reader.outline()])).toHaveLength(4);
  const { sentences } = journals.damage;
  expect(sentences.length).toBeGreaterThan(0);
  for (const sentence of sentences) expect(sentence).toContain(broken.reader.path);
  expect(journals.isUnpaid()).toBe(false);
  journals.close();
});

test('shells that a process left at its birth are swept, when they are not young; a journal that lost its database is none', async () => {
  const shell = join(dir.path, runRecord().runId, 'w');
  await nodeDisk.makeDir(shell);
  const lost = await filledJournal(dir.path);
  lost.close();
  rmSync(lost.reader.path);
  await sweepShells(nodeDisk, dir.path, systemClock);
  expect(await nodeDisk.list(dir.path)).toHaveLength(2);
  for (const { name } of (await nodeDisk.list(dir.path)) ?? []) await utimes(join(dir.path, name), 1, 1);
  await sweepShells(nodeDisk, dir.path, systemClock);
  expect((await nodeDisk.list(dir.path))?.map(({ name }) => name)).toEqual([lost.run.runId]);
  const reader = readJournal(lost.reader.path);
  expect(reader.damage().lost?.results).toBe(3);
  reader.close();
});
