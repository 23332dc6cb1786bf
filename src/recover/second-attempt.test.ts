// A retry of Inspect begins its log with the records of the attempt before it. What its own buffer holds is newer.

import { existsSync } from 'node:fs';
import { readFile, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { placeGoldenCase } from '../../test/golden/inspect/golden-case.ts';
import {
  logStart,
  type MadeBuffer,
  madeEvent,
  madeSample,
  modelEvent,
  placeCrashedLog,
  placeDatabase,
  user,
} from '../../test/sim/inspect-buffer.ts';
import { useCrashedEval } from '../../test/sim/use-recovery.ts';
import { type JsonObject, systemClock } from '../base/index.ts';
import { nodeDisk } from '../disk/index.ts';
import { createLogFile, type EvalSample, openLog, type SampleFields, summarize } from '../log/index.ts';
import { listRecoverable } from './index.ts';

const at = useCrashedEval();
const { recover } = at;

/** The record ended at five minutes past; the attempt in the buffer begins before or after that. */
const BEFORE = '2026-01-02T03:05:05.999999+00:00';
const AT_END = '2026-01-02T03:05:06.000001+00:00';
const failed = (message: string): Partial<SampleFields> => ({
  scores: {},
  error: { message, traceback: message, traceback_ansi: message },
});
const row = (more: JsonObject = {}): JsonObject => ({
  id: 1,
  epoch: 1,
  input: 'question 1',
  target: 'yes',
  metadata: {},
  uuid: 'buffered-1',
  started_at: AT_END,
  completed: false,
  ...more,
});
const done = (more: JsonObject = {}): JsonObject =>
  row({
    completed: true,
    completed_at: '2026-01-02T03:09:00+00:00',
    scores: { match: { value: 'C' } },
    ...more,
  });
const talk = () => ({ sample: '1', event: modelEvent({ input: [user('question 1')], answer: 'yes' }) });

async function crash(record: Partial<SampleFields>, summary: JsonObject): Promise<string> {
  await placeCrashedLog(at.log, { batches: [[madeSample(1, record)]] });
  const buffer: MadeBuffer = { samples: [{ summary }], events: [talk(), talk()] };
  return placeDatabase(at, buffer);
}

async function only(path: string): Promise<EvalSample> {
  const reader = await openLog(nodeDisk, path);
  const sample = await reader.sample(1, 1);
  const listed: (string | undefined)[] = [];
  for await (const { uuid } of reader.summaries()) listed.push(uuid);
  await reader.close();
  if (!sample) throw new Error('the sample is not there');
  expect(listed).toEqual([sample.uuid]);
  return sample;
}

describe('an attempt that began after the record had ended', () => {
  test.each([
    ['cancelled', failed("CancelledError('Cancelled via cancel scope')")],
    ['errored', failed('boom')],
    ['complete', {}],
  ])('and is complete takes the place of one that is %s', async (_what, record) => {
    const database = await crash(record, done());
    const report = await recover();
    expect(report.counts).toMatchObject({ kept: 0, recovered: 1, inFlight: 0, lost: 0 });
    expect(await only(report.output)).toMatchObject({
      uuid: 'buffered-1',
      scores: { match: { value: 'C' } },
    });
    expect(report.deleted).toEqual([database]);
    expect(report.samples[0]?.why).toMatch(/^It (is complete|began after)/);
  });

  test.each([
    ['cancelled', failed('CancelledError()')],
    ['errored', failed('boom')],
  ])('and was running takes the place of one that is %s', async (_what, record) => {
    await crash(record, row());
    const report = await recover();
    expect(report.counts).toMatchObject({ kept: 0, recovered: 0, inFlight: 1 });
    expect(await only(report.output)).toMatchObject({
      uuid: 'buffered-1',
      error: { message: 'CancelledError()' },
    });
    expect((await only(report.output)).events).toHaveLength(2);
  });

  test('and failed does not take the place of a complete one; its buffer is left, and said', async () => {
    const database = await crash({}, done({ error: 'boom', scores: null }));
    const report = await recover();
    expect(report.counts).toMatchObject({ kept: 1, recovered: 0, inFlight: 0 });
    expect((await only(report.output)).uuid).toBe('flushed-1');
    expect(report).toMatchObject({ deleted: [], left: [database] });
    expect(report.problems.map(({ code }) => code)).toEqual(['E_RECOVER_LEFT']);
    expect(existsSync(database)).toBe(true);
  });
});

describe('the record stands', () => {
  test('when the attempt in the buffer began before its end', async () => {
    await crash(failed('boom'), done({ started_at: BEFORE, error: 'bang', scores: null }));
    expect((await only((await recover()).output)).uuid).toBe('flushed-1');
  });

  test('when it is not known when the attempt began', async () => {
    const { started_at: _, ...unknown } = done({ error: 'bang', scores: null });
    await crash(failed('boom'), unknown);
    expect((await only((await recover()).output)).uuid).toBe('flushed-1');
  });

  test('when it is the same attempt, flushed but not yet let go; the buffer goes', async () => {
    const events = [talk(), talk()].map(({ event }) => JSON.stringify(event));
    const file = await createLogFile(nodeDisk, at.log);
    const fields = madeSample(1, { uuid: 'buffered-1' });
    await file.writeStart(logStart());
    await file.writeSample({ fields, events, attachments: [], messages: [], calls: [] });
    await file.writeSummaryBatch([summarize(fields)]);
    await file.finish();
    const database = await placeDatabase(at, {
      samples: [{ summary: done({ started_at: BEFORE }) }],
      events: [talk(), talk()],
    });
    const report = await recover();
    expect(report).toMatchObject({ counts: { kept: 1, recovered: 0 }, deleted: [database], problems: [] });
  });
});

test('a complete attempt is taken before a record that is not, whatever the times say', async () => {
  await crash(failed('boom'), done({ started_at: BEFORE }));
  expect((await only((await recover()).output)).uuid).toBe('buffered-1');
});

describe('an attempt without its row', () => {
  const begun = madeEvent('span_begin', { id: 's', name: 'init', type: 'init', timestamp: AT_END });
  const crashWith = async (events: NonNullable<MadeBuffer['events']>) => {
    await placeCrashedLog(at.log, { batches: [[madeSample(1, failed('CancelledError()'))]] });
    return placeDatabase(at, { events });
  };

  test('is dated by its first event', async () => {
    await crashWith([{ sample: '1', event: begun }, talk()]);
    const report = await recover();
    expect(report.counts).toMatchObject({ kept: 0, inFlight: 1 });
    expect((await only(report.output)).events).toHaveLength(2);
  });

  test('and without a call of a model has not begun: the record stands', async () => {
    await crashWith([{ sample: '1', event: begun }]);
    const report = await recover();
    expect(report.counts).toMatchObject({ kept: 1, inFlight: 0 });
    expect((await only(report.output)).uuid).toBe('flushed-1');
  });
});

test('a record that cannot be parsed when it is to be copied gives way to the next copy, and is said', async () => {
  const file = await createLogFile(nodeDisk, at.log);
  await file.writeStart(logStart());
  // Its checksum is right, so that only reading it shows that it is no sample.
  await file.writeJson('samples/1_epoch_1.json', { id: 1, epoch: 1, input: 'q', messages: 'none' });
  await file.writeSummaryBatch([summarize(madeSample(1))]);
  await file.finish();
  await placeDatabase(at, { samples: [{ summary: row() }], events: [talk()] });
  const report = await recover();
  expect(report.counts).toMatchObject({ kept: 0, inFlight: 1, lost: 0 });
  expect(report.samples).toMatchObject([{ state: 'in-flight', from: ['database'] }]);
  expect(report.problems.length).toBeGreaterThan(0);
});

describe.each(['eval-retry', 'eval-set'])('a real %s that was killed', (name) => {
  const place = async () => {
    const placed = await placeGoldenCase({ version: '0.3.285', name }, join(at.root, 'golden'));
    return { ...placed, options: { log: placed.log, dataDirs: [placed.dataDir], forceDead: true } };
  };

  test('no record of the first attempt stands where the second one got further, and nothing is left', async () => {
    const { expected, options } = await place();
    const report = await recover(options);
    const reader = await openLog(nodeDisk, report.output);
    const uuids = new Map<string, string | undefined>();
    for await (const { id, uuid } of reader.summaries()) uuids.set(String(id), uuid);
    for (const { id, uuid, state } of expected.samples) {
      const sample = await reader.sample(id, 1);
      if (uuid !== null) expect([sample?.uuid, uuids.get(String(id))]).toEqual([uuid, uuid]);
      expect(sample?.error?.message).toBe(state === 'running' ? 'CancelledError()' : undefined);
      if (state !== 'running') expect(sample?.scores).toMatchObject({ graded: { value: 1 } });
    }
    expect((await reader.header()).results?.completed_samples).toBe(4);
    await reader.close();
    expect(report.left).toEqual([]);
    expect(report.deleted).toHaveLength(name === 'eval-set' ? 2 : 1);
  });

  test('a list of it counts in the same way', async () => {
    const { logDir: logs, dataDir: data, expected } = await place();
    const options = { disk: nodeDisk, clock: systemClock, scratchDir: at.root };
    const [row] = await listRecoverable({ ...options, dir: logs, dataDirs: [data] });
    const { flushed, completed, running } = expected.totals;
    expect(row).toMatchObject({ flushed, completed, inFlight: running });
  });
});

test('a torn log of a second attempt does not end as the first one did', async () => {
  const placed = await placeGoldenCase({ version: '0.3.285', name: 'eval-set' }, join(at.root, 'golden'));
  await truncate(placed.log, (await stat(placed.log)).size - 30);
  const report = await recover({ log: placed.log, dataDirs: [placed.dataDir], forceDead: true });
  const reader = await openLog(nodeDisk, report.output);
  const header = await reader.header();
  await reader.close();
  expect(header.eval.eval_id).toBe(placed.expected.eval.evalId);
  expect(header.error?.message).toBe('Eval recovered from crash');
  expect(report.counts).toMatchObject({ kept: 3, recovered: 1, inFlight: 3, lost: 0 });
});

test('records whose rows were cut off with the end of the log are listed as what they are', async () => {
  const placed = await placeGoldenCase({ version: '0.3.285', name: 'eval-set' }, join(at.root, 'golden'));
  const bytes = await readFile(placed.log);
  // The second list of the second attempt; the first attempt had one of the same name.
  const member = '_journal/summaries/2.json';
  await truncate(placed.log, bytes.indexOf(member, bytes.indexOf(member) + 1));
  const report = await recover({ log: placed.log, dataDirs: [placed.dataDir], forceDead: true });
  expect(report.counts).toMatchObject({ kept: 3, lost: 0 });
  const reader = await openLog(nodeDisk, report.output);
  const listed = new Map<string, string | undefined>();
  for await (const { id, uuid } of reader.summaries()) listed.set(String(id), uuid);
  await reader.close();
  for (const { id, uuid } of placed.expected.samples) expect(listed.get(String(id))).toBe(uuid);
});
