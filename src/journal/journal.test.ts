import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  infoEvent,
  newWriter,
  runRecord,
  sampleFields,
  sampleStart,
  someAnswer,
} from '../../test/sim/journal-fixture.ts';
import { useTempDir } from '../../test/sim/use-temp-dir.ts';
import { type Json, parseJson } from '../base/index.ts';
import { nodeDisk } from '../disk/index.ts';
import type { JournalWriter } from './journal-writer.ts';
import { openUnchecked, readJournal } from './read-journal.ts';
import { openRunJournals } from './run-journals.ts';

const dir = useTempDir();

async function withJournal(work: (journal: JournalWriter, path: string) => Promise<void>): Promise<void> {
  const journal = await newWriter(dir.path, runRecord());
  try {
    await work(journal, journal.reader.path);
  } finally {
    journal.close();
  }
}

test('[JRN-1] a commit is synced: WAL and synchronous=FULL are in force', () =>
  withJournal(async (journal) => {
    expect(journal.reader.rows.select('PRAGMA journal_mode')).toMatchObject([{ journal_mode: 'wal' }]);
    expect(journal.reader.rows.number('PRAGMA synchronous')).toBe(2);
  }));

test('[JRN-3] a new journal names its run and its writer in the database itself before anything else can happen', () =>
  withJournal(async (journal, path) => {
    const alone = join(dir.path, 'alone.db');
    await writeFile(alone, readFileSync(path));
    const reader = readJournal(alone);
    expect(reader.run()).toEqual(journal.run);
    expect(reader.writer()).toEqual(JSON.parse(JSON.stringify(journal.record)));
    reader.close();
  }));

test('[JRN-6] an answer is readable by another connection as soon as it was acknowledged', () =>
  withJournal(async (journal, path) => {
    const attempt = journal.startAttempt(sampleStart(1));
    const value = { text: 'x'.repeat(500), nested: [Number.NaN, 'y'.repeat(300)] };
    await attempt.answer(someAnswer(value), [infoEvent('asked')]);
    const reader = readJournal(path);
    expect([...reader.answers(attempt.n)]).toEqual([someAnswer(value)]);
    expect([...reader.events(attempt.n)].map((json) => parseJson(json))).toMatchObject([{ data: 'asked' }]);
    expect(reader.spentUsd()).toBe(0.25);
    reader.close();
  }));

test('[JRN-17] an answer that was bought before is told by the attempt that heard it, once, and cost nothing here', () =>
  withJournal(async (journal, path) => {
    const attempt = journal.startAttempt(sampleStart(1));
    await attempt.answer(someAnswer('new'), []);
    const given = { ...someAnswer('old', 1), from: 'another run' };
    attempt.replayed(given);
    attempt.replayed(given);
    await attempt.finish('completed', sampleFields(1));
    const reader = readJournal(path);
    expect([...reader.answers(attempt.n)]).toEqual([someAnswer('new'), given]);
    expect(reader.spentUsd()).toBe(0.25);
    expect(reader.damage().sentences).toEqual([]);
    reader.close();
  }));

test('[JRN-7] a result is readable as soon as it was acknowledged, and only then is the attempt completed', () =>
  withJournal(async (journal, path) => {
    const attempt = journal.startAttempt(sampleStart('a'));
    await journal.flush();
    const reader = readJournal(path);
    expect(reader.attemptsAt('a', 1)[0]?.status).toBeUndefined();
    await attempt.finish('completed', sampleFields('a'));
    expect(reader.attemptsAt('a', 1)[0]?.status).toBe('completed');
    expect(reader.result(attempt.n)?.fields).toMatchObject(sampleFields('a'));
    expect(reader.summary(attempt.n)?.id).toBe('a');
    reader.close();
  }));

test('[JRN-4] a repeated history is stored once: 200 turns grow the journal with what is new', () =>
  withJournal(async (journal) => {
    const attempt = journal.startAttempt(sampleStart(1));
    const history: Json[] = [];
    for (let turn = 0; turn < 200; turn++) {
      history.push({ role: 'user', content: `question ${turn} ${'q'.repeat(1_000)}` });
      attempt.event({
        event: 'model',
        timestamp: '2026-01-01T00:00:00+00:00',
        model: 'm',
        input: [...history],
        output: { choices: [] },
      });
    }
    await journal.flush();
    const { reader } = journal;
    const bytes = reader.rows.number('PRAGMA page_count') * reader.rows.number('PRAGMA page_size');
    expect(bytes).toBeLessThan(200 * 1_000 * 4);
    expect([...reader.pool(attempt.n, 'message')]).toHaveLength(200);
    const last = [...reader.events(attempt.n)].at(-1) ?? '';
    expect(reader.expandEvent(attempt.n, last).input).toEqual(history);
    expect([...reader.events(attempt.n, 198)]).toHaveLength(2);
  }));

test('[JRN-2] nothing is changed or removed once it is written: only the lease is', () => {
  const files = [
    'journal-writer.ts',
    'row-inserter.ts',
    'create-writer.ts',
    'copy-attempt.ts',
    'group-commit.ts',
  ];
  const sources = files.map((file) => readFileSync(join(import.meta.dirname, file), 'utf8')).join('\n');
  const statements = sources.match(/['`](INSERT|UPDATE|DELETE|REPLACE)[^'`]*['`]/g) ?? [];
  const changing = statements.filter((sql) => /UPDATE|DELETE|REPLACE/.test(sql));
  expect(changing).toHaveLength(1);
  expect(changing[0]).toContain('INTO lease');
});

test('[JRN-5] events that nobody waited for are durable with the next answer', () =>
  withJournal(async (journal, path) => {
    const attempt = journal.startAttempt(sampleStart(1));
    attempt.event(infoEvent('before'));
    await attempt.answer(someAnswer(1), []);
    const reader = readJournal(path);
    expect([...reader.events(attempt.n)]).toHaveLength(1);
    reader.close();
  }));

test('the number 1 and the text "1" are one sample, and each attempt keeps the id it was given', () =>
  withJournal(async (journal) => {
    const ids = [1, '1', '"1"', 'nul \0 in it', '\ud800', ''];
    for (const id of ids) journal.startAttempt(sampleStart(id));
    await journal.flush();
    const { reader } = journal;
    expect(reader.attemptsAt(1, 1).map(({ id }) => id)).toEqual([1, '1']);
    expect(reader.attemptsAt('1', 1).map(({ id }) => id)).toEqual([1, '1']);
    expect([...reader.outline()].map(({ id }) => id)).toEqual(ids);
    for (const id of ids.slice(2)) expect(reader.attemptsAt(id, 1).map((row) => row.id)).toEqual([id]);
  }));

test('[JRN-14] attempts are copied into another journal with all they refer to and with their origin, and nothing else', () =>
  withJournal(async (journal) => {
    const long = 'z'.repeat(1_000);
    const attempt = journal.startAttempt(sampleStart(1));
    journal.startAttempt(sampleStart(2));
    await attempt.answer(someAnswer({ long }), [infoEvent(long)]);
    await attempt.output({ output: long, fields: { long } });

    const other = await newWriter(dir.path, runRecord());
    other.startAttempt(sampleStart(9));
    await other.flush();
    const copy = other.copyFrom(journal.reader, [attempt.n]).get(attempt.n) ?? 0;
    expect(copy).toBe(2);
    const { reader } = other;
    expect([...reader.answers(copy)]).toEqual([...journal.reader.answers(attempt.n)]);
    expect([...reader.events(copy)]).toEqual([...journal.reader.events(attempt.n)]);
    expect([...reader.attachments(copy)]).toEqual([...journal.reader.attachments(attempt.n)]);
    expect(reader.output(copy)).toEqual({ output: long, fields: { long } });
    expect(reader.attempt(copy)?.origin).toBe(`${journal.run.runId}/${journal.record.writer}/1`);
    expect(reader.attemptsAt(2, 1)).toEqual([]);
    expect(reader.rows.select('PRAGMA integrity_check')).toMatchObject([{ integrity_check: 'ok' }]);
    other.close();
    expect(readJournal(other.reader.path).damage()).toEqual({ sentences: [], attempts: new Map() });
  }));

test('[JRN-14] an attempt goes on in the journal of another writer, and the union holds it once', async () => {
  const run = runRecord();
  const first = await newWriter(dir.path, run, { writer: 'one' });
  const attempt = first.startAttempt(sampleStart(7));
  await attempt.answer(someAnswer('bought'), [infoEvent('x'.repeat(200))]);
  await attempt.output({ output: 'done', fields: {} });
  first.close();
  const earlier = await openRunJournals({ disk: nodeDisk, runDir: join(dir.path, run.runId) });
  const second = await newWriter(dir.path, run, { writer: 'two', generation: 2, after: ['one'] });
  const journals = earlier.with(second.reader);
  const [found] = journals.attemptsAt(7, 1);
  if (!found) throw new Error('there is no attempt');
  const next = second.continueAttempt(found);
  next.event(infoEvent('x'.repeat(200)));
  await next.answer(someAnswer('graded', 1), []);
  expect(journals.attemptsAt('7', 1).map(({ source, status }) => [source.path, status])).toEqual([
    [second.reader.path, undefined],
  ]);
  await next.finish('completed', sampleFields(7));
  expect([...journals.outline()].map(({ origin, status, n }) => [origin, status, n])).toEqual([
    [`${run.runId}/one/1`, 'completed', 1],
  ]);
  expect(journals.spentUsd()).toBe(0.5);
  second.close();
  journals.close();
  const again = await openRunJournals({ disk: nodeDisk, runDir: join(dir.path, run.runId) });
  expect(again.damage.sentences).toEqual([]);
  expect(again.attemptsAt(7, 1)[0]?.source.eventCount(1)).toBe(2);
  again.close();
});

test('a database of another program, one of a time to come, and bytes that are none, are refused by name', async () => {
  const foreign = join(dir.path, 'foreign.db');
  const db = new DatabaseSync(foreign);
  db.exec('CREATE TABLE t (a)');
  db.close();
  expect(() => readJournal(foreign)).toThrow(expect.objectContaining({ code: 'E_JOURNAL_FOREIGN' }));
  const newer = join(dir.path, 'newer.db');
  const other = new DatabaseSync(newer);
  other.exec('PRAGMA application_id = 0x484f4c44; PRAGMA user_version = 3; CREATE TABLE t (a)');
  other.close();
  expect(() => readJournal(newer)).toThrow(expect.objectContaining({ code: 'E_JOURNAL_VERSION' }));
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 2_000 }), async (bytes) => {
      const file = join(dir.path, 'noise.db');
      await writeFile(file, bytes);
      expect(() => readJournal(file)).toThrow(
        expect.objectContaining({ code: expect.stringMatching(/^E_(JOURNAL|DISK)_/) }),
      );
    }),
    { numRuns: 50 },
  );
});

test('[JRN-12] whatever texts an answer holds, they come back as they were: NUL and lone surrogates, short and long', () =>
  withJournal(async (journal, path) => {
    const attempt = journal.startAttempt(sampleStart(1));
    let occurrence = 0;
    const lone = fc.constantFrom('\ud800', 'a\udfffb', '\\ud800', 'attachment://0123', 'tc://1', '\0');
    const text = fc
      .tuple(fc.string({ unit: 'binary', maxLength: 300 }), lone, fc.nat(200))
      .map(([some, hard, count]) => some + hard + 'x'.repeat(count));
    await fc.assert(
      fc.asyncProperty(text, async (value) => {
        await attempt.answer(someAnswer({ value, key: { [value]: 1 } }, occurrence++), []);
        expect([...journal.reader.answers(attempt.n)].at(-1)?.value).toEqual({ value, key: { [value]: 1 } });
      }),
      { numRuns: 150 },
    );
    // A lone surrogate and its escape written out are two texts, also where both are long.
    const [one, two] = [`${'x'.repeat(200)}\ud800`, `${'x'.repeat(200)}\\ud800`];
    await attempt.answer(someAnswer([one, two], occurrence++), []);
    const reader = openUnchecked(path);
    expect([...reader.answers(attempt.n)].at(-1)?.value).toEqual([one, two]);
    reader.close();
  }));

test('a journal is locked by its own writer, whose directory nobody else can begin in', () =>
  withJournal(async (journal) => {
    const about = { writer: journal.record.writer };
    await expect(newWriter(dirname(dirname(journal.dir)), journal.run, about)).rejects.toMatchObject({
      code: 'E_JOURNAL_BUSY',
    });
  }));

test('[JRN-3] a run in which no journal was ever begun holds nothing, and says so', async () => {
  const journals = await openRunJournals({ disk: nodeDisk, runDir: dir.path });
  expect(() => journals.run()).toThrow(expect.objectContaining({ code: 'E_JOURNAL_EMPTY' }));
  expect(journals.isUnpaid()).toBe(true);
});
