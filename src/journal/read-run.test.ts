import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  infoEvent,
  newWriter,
  runRecord,
  sampleFields,
  sampleStart,
  someAnswer,
} from '../../test/sim/journal-fixture.ts';
import { fixtureEvent, fixtureFields, writeFixtureLog } from '../../test/sim/log-fixture.ts';
import { makeTempDir } from '../../test/sim/temp-dir.ts';
import { withMethods } from '../../test/sim/with-methods.ts';
import { systemClock } from '../base/index.ts';
import { nodeDisk } from '../disk/index.ts';
import {
  type LogEvent,
  openLog,
  type Position,
  type Positioned,
  type RunChange,
  readRunFromLog,
  summarize,
} from '../log/index.ts';
import { readRunFromJournals } from './read-run.ts';

const readerOf = (runDir: string) => readRunFromJournals({ disk: nodeDisk, clock: systemClock, runDir });

test('[RUN-5] a writer can checkpoint its whole write-ahead log while a reader is in the middle of everything', async () => {
  await using dir = await makeTempDir();
  const run = runRecord();
  const writer = await newWriter(dir.path, run);
  const attempt = writer.startAttempt(sampleStart('a'));
  for (let n = 0; n < 300; n++) {
    attempt.event(infoEvent(`event ${n} ${'x'.repeat(200)}`));
    if (n % 3 === 0) await attempt.answer(someAnswer(n, n), []);
    writer.startAttempt(sampleStart(n));
  }
  await writer.flush();
  const reader = readerOf(join(dir.path, run.runId));
  const events = reader.events({ id: 'a', epoch: 1 })[Symbol.asyncIterator]();
  const summaries = reader.summaries()[Symbol.asyncIterator]();
  const changes = reader.changes(undefined, new AbortController().signal)[Symbol.asyncIterator]();
  for (const iterator of [events, summaries, changes]) for (let n = 0; n < 5; n++) await iterator.next();
  const checkpoint = writer.reader.rows.select('PRAGMA wal_checkpoint(TRUNCATE)')[0];
  expect(checkpoint).toEqual({ busy: 0, log: 0, checkpointed: 0 });
  expect((await events.next()).value?.value.data).toMatch(/^event 5 /);
  expect((await summaries.next()).done).toBe(false);
  expect((await changes.next()).done).toBe(false);
  await reader.close();
  writer.close();
});

test('[RUN-1] [RUN-2] [RUN-4] a run under way: samples that are not done, samples that are lent, and a second writer', async () => {
  await using dir = await makeTempDir();
  const run = runRecord();
  const first = await newWriter(dir.path, run, { writer: 'one' });
  await first.startAttempt(sampleStart('a')).finish('completed', sampleFields('a'));
  first.startAttempt(sampleStart('b')).event(infoEvent('first try'));
  first.close();
  const reader = readerOf(join(dir.path, run.runId));
  const seen: RunChange[] = [];
  const stopped = new AbortController();
  // Nobody writes any more: what is there is told, and it ends.
  for await (const change of reader.changes(undefined, stopped.signal)) seen.push(change);
  expect(seen.map(({ kind, sample }) => `${kind} ${sample?.id}`)).toEqual([
    'begun a',
    'begun b',
    'went on b',
    'ended a',
  ]);

  const second = await newWriter(dir.path, run, { writer: 'two', generation: 2, after: ['one'] });
  const summary = { ...summarize(sampleFields('lent')), error: 'as the log says' };
  second.recordReuse({ id: 'lent', epoch: 1, log: 'other.eval', runId: 'r', mode: 'same', summary });
  const attempt = second.startAttempt(sampleStart('b'));
  attempt.event(infoEvent('second try'));
  await second.flush();
  expect((await reader.header()).status).toBe('started');
  const found = await Array.fromAsync(reader.summaries());
  expect(found.map(({ value }) => [value.id, value.completed])).toEqual([
    ['a', true],
    ['b', false],
    ['lent', true],
  ]);
  expect(found[2]?.value.error).toBe('as the log says');
  const events = await Array.fromAsync(reader.events({ id: 'b', epoch: 1 }));
  expect(events.map(({ value }) => value.data)).toEqual(['second try']);

  const later: string[] = [];
  const watching = (async () => {
    for await (const { kind, sample } of reader.changes(seen.at(-1)?.position, stopped.signal))
      later.push(`${kind} ${sample?.id ?? ''}`.trim());
  })();
  await attempt.finish('completed', sampleFields('b'));
  await second.end('finished');
  await watching;
  expect(later).toEqual(['begun b', 'went on b', 'ended b', 'finished']);
  expect((await reader.header()).status).toBe('success');
  await reader.close();
  second.close();
});

test('[RUN-2] [RUN-3] what another log lends is read from that log, and only that', async () => {
  await using dir = await makeTempDir();
  const path = join(dir.path, 'lender.eval');
  const samples = ['lent', 'other', 'own'].map((id) => ({
    fields: fixtureFields(id, { target: `as the lender has ${id}` }),
    events: [1, 2, 3].map((n) => fixtureEvent({ event: 'info', data: `${id} ${n}` })),
  }));
  await writeFixtureLog(nodeDisk, path, { samples });
  const writer = await newWriter(dir.path, runRecord());
  const lend = (id: string, log: string) =>
    writer.recordReuse({ id, epoch: 1, log, runId: 'r', mode: 'same', summary: summarize(sampleFields(id)) });
  lend('lent', 'lender.eval');
  lend('own', 'lender.eval');
  lend('gone', 'gone.eval');
  await writer.startAttempt(sampleStart('own')).finish('completed', sampleFields('own'));
  const asked: string[] = [];
  let isClosed = false;
  const reader = readRunFromJournals({
    disk: nodeDisk,
    clock: systemClock,
    runDir: join(dir.path, writer.run.runId),
    openLender: async (log) => {
      asked.push(log);
      if (log !== 'lender.eval') return undefined;
      const lender = readRunFromLog(await openLog(nodeDisk, path));
      const close = () => {
        isClosed = true;
        return lender.close();
      };
      return withMethods(lender, { close });
    },
  });
  const key = (id: string) => ({ id, epoch: 1 });
  const dataOf = (events: readonly Positioned<LogEvent>[]) => events.map(({ value }) => value.data);

  expect((await reader.fields(key('lent')))?.target).toBe('as the lender has lent');
  const events = await Array.fromAsync(reader.events(key('lent')));
  expect(dataOf(events)).toEqual(['lent 1', 'lent 2', 'lent 3']);
  for (const [at, { position }] of events.entries())
    expect(await Array.fromAsync(reader.events(key('lent'), position))).toEqual(events.slice(at + 1));
  expect(asked).toEqual(['lender.eval']);

  // The lender has it too, but nobody took it from there.
  expect(await reader.fields(key('other'))).toBeUndefined();
  expect(await Array.fromAsync(reader.events(key('other')))).toEqual([]);
  // What was run here since is what counts.
  expect((await reader.fields(key('own')))?.target).toBe('yes');
  expect(asked).toHaveLength(1);

  expect(await reader.fields(key('gone'))).toBeUndefined();
  expect(await Array.fromAsync(reader.events(key('gone')))).toEqual([]);
  expect(asked.slice(1)).toEqual(['gone.eval', 'gone.eval']);

  // Whoever is in the middle of it stays there, also when the sample is run here meanwhile.
  await writer.startAttempt(sampleStart('lent')).finish('completed', sampleFields('lent'));
  expect(await Array.fromAsync(reader.events(key('lent')))).toEqual([]);
  expect(await Array.fromAsync(reader.events(key('lent'), events[0]?.position))).toEqual(events.slice(1));
  const elsewhere = { ...JSON.parse(events[0]?.position ?? ''), log: 'elsewhere.eval' };
  for (const refused of [
    reader.events(key('lent'), JSON.stringify(elsewhere) as Position),
    reader.summaries(events[0]?.position),
  ])
    await expect(Array.fromAsync<unknown>(refused)).rejects.toMatchObject({ code: 'E_RUN_POSITION' });
  expect(asked).not.toContain('elsewhere.eval');
  expect(isClosed).toBe(false);
  await reader.close();
  expect(isClosed).toBe(true);
  writer.close();
});

test('[RUN-6] a position of somebody else is refused', async () => {
  await using dir = await makeTempDir();
  const writer = await newWriter(dir.path, runRecord());
  const reader = readerOf(join(dir.path, writer.run.runId));
  await expect(Array.fromAsync(reader.summaries('17.5 of it' as never))).rejects.toMatchObject({
    code: 'E_RUN_POSITION',
  });
  await reader.close();
  writer.close();
});
