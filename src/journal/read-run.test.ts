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
import { makeTempDir } from '../../test/sim/temp-dir.ts';
import { systemClock } from '../base/index.ts';
import { nodeDisk } from '../disk/index.ts';
import { type RunChange, summarize } from '../log/index.ts';
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
