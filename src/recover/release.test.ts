// What a log was recovered from goes only when the log was seen to hold it, sample by sample.

import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { damageMember } from '../../test/sim/damage-member.ts';
import {
  madeEvent,
  madeSample,
  placeCrashedLog,
  placeDatabase,
  placeFilestore,
  segmentEvent,
} from '../../test/sim/inspect-buffer.ts';
import { headerOf, samplesOf } from '../../test/sim/read-log.ts';
import { useCrashedEval } from '../../test/sim/use-recovery.ts';
import type { Json, JsonObject } from '../base/index.ts';
import { nodeDisk } from '../disk/index.ts';
import { createLogFile, type SampleFields, summarize } from '../log/index.ts';

const at = useCrashedEval({ forceDead: true });
const { recover } = at;

const done = (id: number, more: JsonObject = {}): JsonObject => ({
  id,
  epoch: 1,
  input: 'q',
  target: 'yes',
  metadata: {},
  completed: true,
  started_at: '2026-01-02T03:04:06+00:00',
  completed_at: '2026-01-02T03:05:06+00:00',
  uuid: `flushed-${id}`,
  scores: { match: { value: 'C' } },
  ...more,
});
/** All of a sample that was scored, as its events tell it. */
const scored = (id: number, from = 1) =>
  [
    madeEvent('sample_init', { sample: { input: 'q', target: 'yes', id }, state: {} }),
    madeEvent('span_begin', { id: 's', name: 'scorers', type: 'scorers' }),
    madeEvent('score', { span_id: 's', scorer: 'match', score: { value: 'C' } }),
    madeEvent('span_end', { id: 's' }),
  ].map((event, index) => segmentEvent(from + index, event, String(id)));
const manifestOf = (...summaries: readonly JsonObject[]): Json => ({
  metrics: [],
  samples: summaries.map((summary) => ({ summary, segments: [1] })),
  segments: [
    { id: 1, last_event_id: 4, last_attachment_id: 0, last_message_pool_id: 0, last_call_pool_id: 0 },
  ],
});

const damage = (id: number) => damageMember(at.log, `samples/${id}_epoch_1.json`);

const idsIn = async (path: string) => (await samplesOf(path)).map(({ id }) => id);

describe('a flushed record that is damaged', () => {
  test.each([
    ['that still lists it', manifestOf(done(1))],
    ['that no longer lists it', manifestOf()],
  ])('is taken from a filestore %s, which only then goes', async (_what, manifest) => {
    await placeCrashedLog(at.log, { batches: [[madeSample(1), madeSample(2)]] });
    await damage(1);
    const folder = await placeFilestore(at.logDir, {
      manifest,
      segments: { 1: { '1_1.json': { events: scored(1) } } },
    });
    const report = await recover();
    expect(report.counts).toMatchObject({ kept: 1, recovered: 1, lost: 0 });
    expect(await idsIn(report.output)).toEqual([1, 2]);
    expect(report.left).toEqual([]);
    expect(existsSync(folder)).toBe(false);
  });

  test('does not keep a sound database from being enough for the others', async () => {
    await placeCrashedLog(at.log, { batches: [[madeSample(1), madeSample(2)]] });
    await damage(1);
    const events = scored(3).map(({ event }) => ({ sample: '3', event: event as JsonObject }));
    await placeDatabase(at, { samples: [{ summary: done(3) }], events });
    await placeFilestore(at.logDir, {
      manifest: manifestOf(done(3)),
      segments: { 1: { '1_1.json': { events: scored(1) } } },
    });
    const report = await recover();
    expect(await idsIn(report.output)).toEqual([1, 2, 3]);
    expect(report.counts).toMatchObject({ kept: 1, recovered: 2, lost: 0 });
  });
});

test('a cancelled record does not make a filestore superfluous', async () => {
  const message = 'CancelledError()';
  const error = { message, traceback: message, traceback_ansi: message };
  await placeCrashedLog(at.log, { batches: [[madeSample(1, { error, scores: {} })]] });
  await placeFilestore(at.logDir, {
    manifest: manifestOf(done(1, { uuid: 'again-1', started_at: '2026-01-02T03:06:00+00:00' })),
    segments: { 1: { '1_1.json': { events: scored(1) } } },
  });
  const report = await recover();
  expect(report.counts).toMatchObject({ kept: 0, recovered: 1 });
  expect(report.left).toEqual([]);
});

test('two attempts in two databases: the one that is not in the log stays', async () => {
  await placeCrashedLog(at.log);
  const event = { sample: '1', event: madeEvent('info', { data: 1 }) };
  const better = await placeDatabase(at, { samples: [{ summary: done(1) }], events: [event] });
  const other = await placeDatabase(
    { ...at, pid: 999_999_998 },
    { samples: [{ summary: done(1, { uuid: 'other', error: 'boom', scores: null }) }], events: [event] },
  );
  const report = await recover();
  expect(report).toMatchObject({ deleted: [better], left: [other] });
  expect(report.problems).toMatchObject([{ code: 'E_RECOVER_LEFT', sample: { id: '1', epoch: 1 } }]);
  expect([existsSync(better), existsSync(other)]).toEqual([false, true]);
});

describe('after a recovery that died before it could clean up', () => {
  const info = (id: number, n: number) => ({ sample: String(id), event: madeEvent('info', { data: n }) });
  const database = () =>
    placeDatabase(at, {
      samples: [{ summary: done(1) }, { summary: done(2) }],
      events: [info(1, 1), info(1, 2), info(2, 3), info(2, 4)],
    });

  /** A log that says that it was recovered, with just these samples. */
  async function madeLog(samples: readonly { readonly fields: SampleFields; readonly events: number }[]) {
    const header = await headerOf(at.log);
    await rm(at.log);
    const file = await createLogFile(nodeDisk, at.log);
    await file.writeStart({ version: 2, eval: header.eval, plan: header.plan });
    for (const { fields, events } of samples) {
      const texts = Array.from({ length: events }, () => JSON.stringify(madeEvent('info', { data: 0 })));
      await file.writeSample({ fields, events: texts, attachments: [], messages: [], calls: [] });
    }
    await file.writeSummaries(samples.map(({ fields }) => summarize(fields)));
    const told = { sources: ['database'], events: true, whole: true };
    await file.writeHeader({ ...header, status: 'error', metadata: { holdfast_recovery: told } });
    await file.finish();
  }

  test('what the log holds goes', async () => {
    await placeCrashedLog(at.log);
    const path = await database();
    await madeLog([1, 2].map((id) => ({ fields: madeSample(id), events: 2 })));
    expect(await recover()).toMatchObject({ wasThere: true, deleted: [path], left: [], problems: [] });
  });

  test.each([
    ['lacks a sample', [{ fields: madeSample(1), events: 2 }]],
    ['has fewer events of one', [1, 2].map((id) => ({ fields: madeSample(id), events: id === 2 ? 1 : 2 }))],
    [
      'has another attempt at one',
      [1, 2].map((id) => ({ fields: madeSample(id, id === 2 ? { uuid: 'other' } : {}), events: 2 })),
    ],
  ])('what it does not hold stays, whatever it says of itself: it %s', async (_what, samples) => {
    await placeCrashedLog(at.log);
    const path = await database();
    await madeLog(samples);
    const report = await recover();
    expect(report).toMatchObject({ wasThere: true, deleted: [], left: [path] });
    expect(report.problems).toMatchObject([{ code: 'E_RECOVER_LEFT', sample: { id: '2' } }]);
    expect(existsSync(path)).toBe(true);
  });

  test('a buffer that cannot be read stays', async () => {
    await placeCrashedLog(at.log);
    const path = await database();
    await madeLog([1, 2].map((id) => ({ fields: madeSample(id), events: 2 })));
    await writeFile(path, 'no database at all');
    const report = await recover();
    expect(report).toMatchObject({ deleted: [], left: [path] });
    expect(report.problems.map(({ code }) => code)).toEqual(['E_BUFFER_FOREIGN']);
  });
});

test('--keep says nothing of what was left, because all was', async () => {
  await placeCrashedLog(at.log);
  const path = await placeDatabase(at, { samples: [{ summary: done(1) }] });
  expect(await recover({ keep: true })).toMatchObject({ deleted: [], left: [], problems: [] });
  expect(existsSync(path)).toBe(true);
});
