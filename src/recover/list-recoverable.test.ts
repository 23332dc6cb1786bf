import { mkdir, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  LOG_NAME,
  madeEvent,
  madeSample,
  placeCrashedLog,
  placeDatabase,
  placeFilestore,
  segmentEvent,
} from '../../test/sim/inspect-buffer.ts';
import { filledJournal } from '../../test/sim/journal-fixture.ts';
import { memoryBucket } from '../../test/sim/memory-bucket.ts';
import { runPlaces, useCrashedEval } from '../../test/sim/use-recovery.ts';
import { type JsonObject, systemClock } from '../base/index.ts';
import { nodeDisk } from '../disk/index.ts';
import { type ListOptions, listRecoverable } from './index.ts';

const at = useCrashedEval();
const list = (more: Partial<ListOptions> = {}) =>
  listRecoverable({
    disk: nodeDisk,
    clock: systemClock,
    dir: at.logDir,
    dataDirs: [at.dataDir],
    scratchDir: at.root,
    ...more,
  });
const row = (id: number, completed: boolean): { readonly summary: JsonObject } => ({
  summary: { id, epoch: 1, input: 'q', target: '', metadata: {}, completed },
});

test('an empty directory, or none, has nothing', async () => {
  expect(await list()).toEqual([]);
  expect(await list({ dir: join(at.logDir, 'nowhere') })).toEqual([]);
});

test('a crashed log with its database: expected, flushed, completed, in flight, sources, liveness', async () => {
  await placeCrashedLog(at.log, { batches: [[madeSample(1)]] });
  await placeDatabase(at, { samples: [row(2, true), row(3, false), row(1, true)] });
  expect(await list()).toMatchObject([
    {
      kind: 'inspect',
      log: at.log,
      task: 'crashed',
      created: '2026-01-02T03:04:05+00:00',
      expected: 4,
      flushed: 1,
      completed: 1,
      inFlight: 1,
      sources: ['database', 'log'],
      liveness: 'dead',
      problems: [],
    },
  ]);
});

test('a filestore: what its manifest says', async () => {
  await placeCrashedLog(at.log);
  await placeFilestore(at.logDir, {
    manifest: { metrics: [], samples: [{ summary: row(1, false).summary, segments: [1] }], segments: [] },
    segments: { 1: { '1_1.json': { events: [segmentEvent(1, madeEvent('info'))] } } },
  });
  expect(await list()).toMatchObject([
    { completed: 0, inFlight: 1, sources: ['filestore'], liveness: 'unknown' },
  ]);
});

test('only what was flushed', async () => {
  const path = await placeCrashedLog(at.log, { batches: [[madeSample(1)]] });
  await utimes(path, 1000, 1000);
  expect(await list()).toMatchObject([{ flushed: 1, completed: 0, sources: ['log'], liveness: 'dead' }]);
});

test('a torn log', async () => {
  const path = await placeCrashedLog(at.log, { batches: [[madeSample(1)], [madeSample(2)]] });
  const bytes = await readFile(path);
  await writeFile(path, bytes.subarray(0, bytes.indexOf('samples/2_epoch_1.json')));
  expect(await list()).toMatchObject([{ flushed: 1, sources: ['torn log'] }]);
});

test('buffers without a log: a database, a filestore', async () => {
  await placeDatabase(at, { samples: [row(1, true)] });
  await placeFilestore(
    at.logDir,
    { manifest: { samples: [{ summary: row(1, true).summary, segments: [] }] }, segments: {} },
    '2026-01-03T00-00-00+00-00_other_ID.eval',
  );
  expect((await list()).map(({ task, sources, completed }) => [task, sources, completed])).toEqual([
    ['crashed', ['database'], 1],
    ['other', ['filestore'], 1],
  ]);
});

test('finished and recovered logs, and other files, are not listed', async () => {
  const path = await placeCrashedLog(at.log, { batches: [[madeSample(1)]] });
  await writeFile(join(at.logDir, 'notes.eval'), 'no log');
  await writeFile(join(at.logDir, 'readme.md'), 'text');
  expect(await list()).toHaveLength(1);
  const { output } = await at.recover({ log: path, forceDead: true });
  expect(await list()).toEqual([]);
  await rename(output, join(at.logDir, 'elsewhere.eval'));
  expect(await list()).toHaveLength(1);
});

test('a log whose process lives is listed as alive', async () => {
  await placeCrashedLog(at.log);
  await placeDatabase(at, { samples: [row(1, false)] });
  const stateOf = () => ({ kind: 'running', processStart: '1' }) as const;
  expect(await list({ stateOf })).toMatchObject([{ liveness: 'alive', inFlight: 1 }]);
});

test('subdirectories are looked at, with the databases of each', async () => {
  const sub = join(at.logDir, 'a/b');
  await placeCrashedLog(join(sub, LOG_NAME));
  await placeDatabase({ ...at, logDir: sub }, { samples: [row(1, true)] });
  expect(await list()).toMatchObject([{ log: join(sub, LOG_NAME), completed: 1 }]);
});

test('a database that cannot be read is a problem of its row, not of the list', async () => {
  await placeCrashedLog(at.log);
  const path = await placeDatabase(at, {});
  await writeFile(path, 'no database');
  expect(await list()).toMatchObject([{ problems: [{ code: 'E_BUFFER_FOREIGN' }] }]);
});

test('in a bucket', async () => {
  const path = await placeCrashedLog(at.log, { batches: [[madeSample(1)]] });
  const bucket = memoryBucket();
  await bucket.create(`logs/${LOG_NAME}`, await readFile(path));
  expect(await list({ bucket, dir: '' })).toMatchObject([
    { log: `logs/${LOG_NAME}`, flushed: 1, sources: ['log'], liveness: 'dead' },
  ]);
  expect(await list({ bucket, dir: 'other' })).toEqual([]);
});

describe('our own runs', () => {
  test('with their journals, and those of which only segments are here', async () => {
    const places = runPlaces(at.logDir);
    const journal = await filledJournal(places.state.path);
    const { run } = journal;
    journal.close();
    const bucket = memoryBucket();
    await bucket.create('runs/20260101T000000000-gone/segments/w/00000001.zst', new Uint8Array([1]));
    const segments = { bucket, prefix: 'runs/' };
    expect(await list({ places: { ...places, segments } })).toMatchObject([
      {
        kind: 'holdfast',
        log: run.runId,
        task: 'sealed',
        expected: 4,
        completed: 3,
        inFlight: 1,
        sources: ['journal'],
        liveness: 'dead',
      },
      { kind: 'holdfast', log: '20260101T000000000-gone', sources: ['segments'], liveness: 'unknown' },
    ]);
  });

  test('also those whose journal is damaged, with what is wrong; one that holds no run is nothing', async () => {
    const places = runPlaces(at.logDir);
    const journal = await filledJournal(places.state.path);
    const { runId } = journal.run;
    journal.close();
    const path = join(journal.dir, 'journal.db');
    const bytes = await readFile(path);
    await writeFile(path, bytes.fill(0xff, 100, bytes.length));
    expect(await list({ places })).toMatchObject([
      {
        kind: 'holdfast',
        log: runId,
        sources: ['journal'],
        problems: expect.arrayContaining([expect.objectContaining({ code: 'E_JOURNAL_DAMAGED' })]),
      },
    ]);
    // Nothing was ever acknowledged there: a process died while its journal was being born.
    const shell = join(places.state.path, '20260101T000000000-0123456789', 'w');
    await rm(join(places.state.path, runId), { recursive: true });
    await mkdir(shell, { recursive: true });
    await writeFile(join(shell, 'journal.db'), '');
    expect(await list({ places })).toEqual([]);
  });
});
