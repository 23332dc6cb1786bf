import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Digest, type Json, newRunId, parseJson, systemClock, systemRandom } from '../base/index.ts';
import { nodeDisk } from '../disk/index.ts';
import type { LogEvent, SampleFields } from '../log/index.ts';
import { adoptJournal, createJournal, type Journal } from './journal.ts';
import { readJournal } from './reader.ts';
import type { RunRecord } from './records.ts';

let dir = '';
const ports = { disk: nodeDisk, clock: systemClock };
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'journal-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const someRun = (): RunRecord => ({
  runId: newRunId(0, systemRandom),
  writer: 'w',
  created: '2026-01-01T00:00:00+00:00',
  start: {} as RunRecord['start'],
  identity: {
    eval: 'e',
    version: '0',
    targetName: 't',
    target: 't' as Digest,
    definition: 'd' as Digest,
    plan: 'p' as Digest,
  },
  planned: 1,
  logName: 'e.eval',
});

const someStart = (id: string | number = 1, epoch = 1) => ({
  id,
  epoch,
  key: `key-${id}-${epoch}` as Digest,
  uuid: 'u',
  startedAt: '2026-01-01T00:00:00+00:00',
  sample: { input: 'hi', target: 'ho', metadata: {} },
});

const someFields = (id: string | number = 1, epoch = 1): SampleFields => ({
  id,
  epoch,
  input: 'hi',
  target: 'ho',
  messages: [],
  output: { choices: [] },
  metadata: {},
  store: {},
  model_usage: {},
  role_usage: {},
});

const info = (data: Json): LogEvent => ({ event: 'info', timestamp: '2026-01-01T00:00:00+00:00', data });

const openNew = () => createJournal(join(dir, 'run'), someRun(), ports);
const path = () => join(dir, 'run', 'journal.db');

async function withJournal(work: (journal: Journal) => Promise<void>): Promise<void> {
  const journal = await openNew();
  try {
    await work(journal);
  } finally {
    journal.close();
  }
}

test('[JRN-1] a commit is synced: WAL and synchronous=FULL are in force', () =>
  withJournal(async (journal) => {
    const { DatabaseSync } = await import('node:sqlite');
    const other = new DatabaseSync(path());
    expect(other.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' });
    other.close();
    expect(journal.pragma('synchronous')).toBe(2);
  }));

test('[JRN-3] a new journal names its run before anything else can happen', () =>
  withJournal(async () => {
    const reader = readJournal(path());
    expect(reader.run().logName).toBe('e.eval');
    expect(reader.sessions()).toHaveLength(1);
    reader.close();
  }));

test('[JRN-6] an answer is readable by another connection as soon as it was acknowledged', () =>
  withJournal(async (journal) => {
    const attempt = journal.startAttempt(someStart());
    const value = { text: 'x'.repeat(500), nested: [Number.NaN, 'y'.repeat(300)] };
    await attempt.answer(
      { kind: 'model', digest: 'q' as Digest, occurrence: 0, value, costUsd: 0.5, tokens: 7 },
      [info('asked')],
    );
    const reader = readJournal(path());
    expect([...reader.answers(attempt.n)]).toEqual([
      { kind: 'model', digest: 'q', occurrence: 0, value, costUsd: 0.5, tokens: 7 },
    ]);
    expect([...reader.events(attempt.n)].map((json) => parseJson(json))).toMatchObject([{ data: 'asked' }]);
    reader.close();
  }));

test('[JRN-7] a result is readable as soon as it was acknowledged, and only then is the attempt completed', () =>
  withJournal(async (journal) => {
    const attempt = journal.startAttempt(someStart('a'));
    await journal.flush();
    const reader = readJournal(path());
    expect(reader.attemptsAt('a', 1)[0]?.status).toBeUndefined();
    await attempt.finish('completed', someFields('a'));
    expect(reader.attemptsAt('a', 1)[0]?.status).toBe('completed');
    expect(reader.result(attempt.n)?.fields.id).toBe('a');
    expect(reader.summary(attempt.n)?.id).toBe('a');
    reader.close();
  }));

test('[JRN-4] a repeated history is stored once: 200 turns grow the journal with what is new', () =>
  withJournal(async (journal) => {
    const attempt = journal.startAttempt(someStart());
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
    const bytes = Number(journal.pragma('page_count')) * Number(journal.pragma('page_size'));
    expect(bytes).toBeLessThan(200 * 1_000 * 4);
    expect([...journal.pool(attempt.n, 'message')]).toHaveLength(200);
  }));

test('[JRN-2] nothing is changed or removed once it is written: only the lease is', () => {
  const statements = readFileSync(join(import.meta.dirname, 'journal.ts'), 'utf8').match(
    /'(INSERT|UPDATE|DELETE)[^']*'/g,
  );
  const changing = statements?.filter((sql) => /UPDATE|DELETE|REPLACE/.test(sql)) ?? [];
  expect(changing.filter((sql) => !/INTO (lease|reused)\b/.test(sql))).toEqual([]);
});

test('[JRN-5] events that nobody waited for are durable with the next answer', () =>
  withJournal(async (journal) => {
    const attempt = journal.startAttempt(someStart());
    attempt.event(info('before'));
    await attempt.answer({ kind: 'model', digest: 'q' as Digest, occurrence: 0, value: 1 }, []);
    const reader = readJournal(path());
    expect([...reader.events(attempt.n)]).toHaveLength(1);
    reader.close();
  }));

test('[JRN-8] a journal that is being written cannot be adopted; one whose writer is gone can', async () => {
  const journal = await openNew();
  const attempt = journal.startAttempt(someStart());
  await attempt.finish('errored', someFields());
  await expect(adoptJournal(join(dir, 'run'), ports)).rejects.toMatchObject({ code: 'E_JOURNAL_BUSY' });
  journal.close();

  const adopted = await adoptJournal(join(dir, 'run'), ports);
  expect(adopted.session).toBe(2);
  expect(adopted.startAttempt(someStart()).n).toBe(2);
  await adopted.flush();
  expect(adopted.attemptsAt(1, 1).map((row) => row.status)).toEqual(['errored', undefined]);
  adopted.close();
});

test('the number 1 and the text "1" are different samples', () =>
  withJournal(async (journal) => {
    journal.startAttempt(someStart(1));
    journal.startAttempt(someStart('1'));
    await journal.flush();
    expect(journal.attemptsAt(1, 1)).toHaveLength(1);
    expect(journal.attemptsAt('1', 1)).toHaveLength(1);
  }));

test('attempts are carried into another journal with all they refer to, and nothing else', async () => {
  await withJournal(async (journal) => {
    const long = 'z'.repeat(1_000);
    const attempt = journal.startAttempt(someStart());
    journal.startAttempt(someStart(2));
    await attempt.answer({ kind: 'model', digest: 'q' as Digest, occurrence: 0, value: { long } }, [
      info(long),
    ]);
    await attempt.output({ output: long, fields: {} });

    const other = await createJournal(join(dir, 'other'), someRun(), ports);
    other.startAttempt(someStart(9));
    await other.flush();
    const numbers = other.copyFrom(path(), [attempt.n]);
    const copy = numbers.get(attempt.n) ?? 0;
    expect(copy).toBe(2);
    expect([...other.answers(copy)]).toEqual([...journal.answers(attempt.n)]);
    expect([...other.events(copy)]).toEqual([...journal.events(attempt.n)]);
    expect([...other.attachments(copy)]).toEqual([...journal.attachments(attempt.n)]);
    expect(other.output(copy)).toEqual({ output: long, fields: {} });
    expect(other.attemptsAt(2, 1)).toEqual([]);
    expect(other.problems()).toEqual([]);
    other.close();
  });
});

test('a database of another program, and bytes that are none, are refused by name', async () => {
  const { DatabaseSync } = await import('node:sqlite');
  const foreign = join(dir, 'foreign.db');
  const db = new DatabaseSync(foreign);
  db.exec('CREATE TABLE t (a)');
  db.close();
  expect(() => readJournal(foreign)).toThrow(expect.objectContaining({ code: 'E_JOURNAL_FOREIGN' }));
  const { writeFile } = await import('node:fs/promises');
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 2_000 }), async (bytes) => {
      const file = join(dir, 'noise.db');
      await writeFile(file, bytes);
      expect(() => readJournal(file)).toThrow(
        expect.objectContaining({ code: expect.stringMatching(/^E_(JOURNAL|DISK)_/) }),
      );
    }),
    { numRuns: 50 },
  );
});

test('whatever texts an answer holds, they come back as they were', () =>
  withJournal(async (journal) => {
    const attempt = journal.startAttempt(someStart());
    let occurrence = 0;
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 300 }), async (text) => {
        const row = { kind: 'model', digest: 'd' as Digest, occurrence: occurrence++, value: { text } };
        await attempt.answer(row, []);
        expect([...journal.answers(attempt.n)].at(-1)?.value).toEqual({ text });
      }),
      { numRuns: 100 },
    );
  }));
