import { readdir, readFile, rm, stat, truncate, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, describe, expect, test } from 'vitest';
import { damageMember } from '../../test/sim/damage-member.ts';
import {
  LOG_NAME,
  logStart,
  type MadeFilestore,
  madeEvent,
  madeSample,
  modelEvent,
  placeCrashedLog,
  placeDatabase,
  placeFilestore,
  segmentEvent,
  segmentMessage,
  user,
} from '../../test/sim/inspect-buffer.ts';
import { memoryBucket } from '../../test/sim/memory-bucket.ts';
import { samplesOf } from '../../test/sim/read-log.ts';
import { useCrashedEval } from '../../test/sim/use-recovery.ts';
import { digestOf, type Json, type JsonObject } from '../base/index.ts';
import { nodeDisk } from '../disk/index.ts';
import { attachmentHash, type EvalSample, memorySource, openLog, openLogSource } from '../log/index.ts';

/** Somebody vouches: a filestore that was written a moment ago may be alive. */
const at = useCrashedEval({ forceDead: true });
const { recover } = at;
beforeEach(() => placeCrashedLog(at.log));

const done = (id: number | string, more: JsonObject = {}): JsonObject => ({
  id,
  epoch: 1,
  input: `question ${id}`,
  target: 'yes',
  metadata: {},
  completed: true,
  completed_at: '2026-01-02T03:05:00+00:00',
  scores: { match: { value: 'C' } },
  model_usage: {},
  role_usage: {},
  ...more,
});
const running = (id: number | string): JsonObject => ({
  id,
  epoch: 1,
  input: 'q',
  target: 'yes',
  metadata: {},
  completed: false,
});
const cursor = (id: number, event: number, message = 0, call = 0, attachment = 0): JsonObject => ({
  id,
  last_event_id: event,
  last_attachment_id: attachment,
  last_message_pool_id: message,
  last_call_pool_id: call,
});
const manifest = (
  samples: readonly {
    readonly summary: JsonObject;
    readonly segments: Json;
    readonly metadata_hash?: string;
  }[],
  segments: readonly JsonObject[] = [],
): Json => ({ metrics: [], samples, segments });

async function first(path: string): Promise<EvalSample> {
  const [sample] = await samplesOf(path);
  if (!sample) throw new Error('there is no sample');
  return sample;
}

const info = (row: number, data: Json = row, sample = '1') =>
  segmentEvent(row, madeEvent('info', { uuid: `i${row}`, data }), sample);
const dataOf = (sample: EvalSample) => sample.events.map(({ data }) => data);

/** Three segments with one event each. */
const three = (segments: Json = [1, 2, 3]): MadeFilestore => ({
  manifest: manifest([{ summary: done(1), segments }], [cursor(1, 1), cursor(2, 2), cursor(3, 3)]),
  segments: {
    1: { '1_1.json': { events: [info(1)] } },
    2: { '1_1.json': { events: [info(2)] } },
    3: { '1_1.json': { events: [info(3)] } },
  },
});

describe('segments', () => {
  test('three of them: all events, without a database', async () => {
    await placeFilestore(at.logDir, three());
    const report = await recover();
    expect(report).toMatchObject({ status: 'error', counts: { recovered: 1, inFlight: 0 }, problems: [] });
    expect(report.sources.map(({ kind }) => kind)).toEqual(['log', 'filestore']);
    expect(dataOf(await first(report.output))).toEqual([1, 2, 3]);
  });

  test.each(['deflate', 'zstd'] as const)('are read when they are compressed with %s', async (method) => {
    await placeFilestore(at.logDir, { ...three(), method });
    expect(dataOf(await first((await recover()).output))).toEqual([1, 2, 3]);
  });

  test('named as objects, or in any order, they are the same', async () => {
    for (const segments of [
      [3, 1, 2],
      [cursor(3, 3), 1, cursor(2, 2)],
    ]) {
      await placeFilestore(at.logDir, three(segments as Json));
      const { output } = await recover();
      expect(dataOf(await first(output))).toEqual([1, 2, 3]);
      await rm(output);
    }
  });

  test('one that is missing is said, and what it held of each sample', async () => {
    const folder = await placeFilestore(at.logDir, three([cursor(1, 1), cursor(2, 2), cursor(3, 3)]));
    await rm(join(folder, 'segment.2.zip'));
    const report = await recover();
    expect(dataOf(await first(report.output))).toEqual([1, 3]);
    expect(report.problems).toMatchObject([
      { code: 'E_BUFFER_SEGMENT', message: expect.stringContaining('segment.2.zip') },
    ]);
    expect(report.samples[0]?.missing).toEqual(['Events after row 1 are missing with segment 2.']);
  });

  test('one that is no ZIP is skipped and said', async () => {
    const folder = await placeFilestore(at.logDir, three());
    await writeFile(join(folder, 'segment.2.zip'), 'no zip at all');
    const report = await recover();
    expect(dataOf(await first(report.output))).toEqual([1, 3]);
    expect(report.problems).toMatchObject([
      { code: 'E_BUFFER_SEGMENT', message: expect.stringContaining('no ZIP') },
    ]);
    expect(report.samples[0]?.missing).toHaveLength(1);
  });

  test('a torn one gives up its whole members', async () => {
    const made = three();
    const folder = await placeFilestore(at.logDir, {
      ...made,
      segments: {
        ...made.segments,
        2: { '1_1.json': { events: [info(2)] }, '9_1.json': { events: [info(9, 9, '9')] } },
      },
    });
    const path = join(folder, 'segment.2.zip');
    await truncate(path, (await stat(path)).size - 40);
    const report = await recover();
    const samples = await samplesOf(report.output);
    expect(samples.map(({ id }) => id)).toContain(1);
    expect(dataOf(samples[0] as EvalSample)).toEqual([1, 2, 3]);
    expect(report.problems[0]?.message).toContain('is torn');
  });

  test('one whose member is damaged gives up the others', async () => {
    const folder = await placeFilestore(at.logDir, {
      manifest: manifest([
        { summary: done(1), segments: [1] },
        { summary: done(2), segments: [1] },
      ]),
      segments: { 1: { '1_1.json': { events: [info(1)] }, '2_1.json': { events: [info(2, 2, '2')] } } },
    });
    await damageMember(join(folder, 'segment.1.zip'), '1_1.json');
    const report = await recover();
    const samples = await samplesOf(report.output);
    expect(samples.map((sample) => dataOf(sample))).toEqual([[], [2]]);
    expect(report.problems[0]).toMatchObject({ code: 'E_BUFFER_SEGMENT' });
  });

  test('that repeat rows, as 0.3.212 wrote them, give each row once and every position right', async () => {
    const [a, b, c] = [
      segmentMessage(1, user('a')),
      segmentMessage(2, user('b')),
      segmentMessage(3, user('c')),
    ];
    await placeFilestore(at.logDir, {
      manifest: manifest([{ summary: done(1), segments: [1, 2, 3] }]),
      segments: {
        1: { '1_1.json': { events: [segmentEvent(1, modelEvent({ refs: [[0, 1]] }))], message_pool: [a] } },
        2: { '1_1.json': { events: [segmentEvent(2, madeEvent('info', { data: 'no new message' }))] } },
        3: {
          '1_1.json': {
            events: [segmentEvent(3, modelEvent({ refs: [[0, 3]], answer: 'end' }))],
            message_pool: [a, b, c],
          },
        },
      },
    });
    const { messages } = await first((await recover()).output);
    expect(messages.map(({ content }) => content)).toEqual(['a', 'b', 'c', 'end']);
  });

  test('two samples interleaved over segments have each their own rows', async () => {
    await placeFilestore(at.logDir, {
      manifest: manifest([
        { summary: done(1), segments: [1, 2] },
        { summary: done(2), segments: [1, 2] },
      ]),
      segments: {
        1: {
          '1_1.json': {
            events: [segmentEvent(1, modelEvent({ refs: [[0, 1]] }))],
            message_pool: [segmentMessage(1, user('one'))],
          },
          '2_1.json': {
            events: [segmentEvent(2, modelEvent({ refs: [[0, 1]] }), '2')],
            message_pool: [segmentMessage(2, user('two'), '2')],
          },
        },
        2: {
          '1_1.json': {
            events: [segmentEvent(3, modelEvent({ refs: [[0, 2]] }))],
            message_pool: [segmentMessage(3, user('uno'))],
          },
          '2_1.json': {
            events: [segmentEvent(4, modelEvent({ refs: [[0, 2]] }), '2')],
            message_pool: [segmentMessage(4, user('due'), '2')],
          },
        },
      },
    });
    const samples = await samplesOf((await recover()).output);
    expect(samples.map(({ messages }) => messages.slice(0, 2).map(({ content }) => content))).toEqual([
      ['one', 'uno'],
      ['two', 'due'],
    ]);
  });

  test('behind a lost one, messages keep their places and the lost ones are marked', async () => {
    const part = (row: number, text: string, end: number) => ({
      '1_1.json': {
        events: [segmentEvent(row, modelEvent({ refs: [[0, end]], answer: 'x' }))],
        message_pool: [segmentMessage(row, user(text))],
      },
    });
    await placeFilestore(at.logDir, {
      manifest: manifest([
        { summary: done(1), segments: [cursor(1, 1, 1), cursor(2, 2, 2), cursor(3, 3, 3)] },
      ]),
      segments: { 1: part(1, 'a', 1), 3: part(3, 'c', 3) },
    });
    const report = await recover();
    const sample = await first(report.output);
    expect(sample.messages.map(({ content }) => content)).toEqual([
      'a',
      '[This message was lost in the crash.]',
      'c',
      'x',
    ]);
    expect(report.samples[0]?.missing.join()).toContain(
      '1 messages that its model events refer to are missing.',
    );
  });
});

describe('versions of an event', () => {
  test('pending in one segment and final in the next are one event', async () => {
    const call = (pending: boolean) => ({
      ...modelEvent({ input: [user('Hi')], answer: 'final', pending }),
      uuid: 'call',
    });
    await placeFilestore(at.logDir, {
      manifest: manifest([{ summary: done(1), segments: [1, 2] }]),
      segments: {
        1: { '1_1.json': { events: [segmentEvent(1, call(true)), info(2)] } },
        2: { '1_1.json': { events: [segmentEvent(3, call(false))] } },
      },
    });
    const sample = await first((await recover()).output);
    expect(sample.events.map(({ uuid, pending }) => [uuid, pending])).toEqual([
      ['call', undefined],
      ['i2', undefined],
    ]);
    expect(sample.messages.map(({ content }) => content)).toEqual(['Hi', 'final']);
  });
});

describe('pools in the output', () => {
  test('events keep references into pools, and are whole when read', async () => {
    const turns = [1, 2, 3].map((n) => segmentEvent(n, modelEvent({ refs: [[0, n]], answer: `r${n}` })));
    await placeFilestore(at.logDir, {
      manifest: manifest([{ summary: done(1), segments: [1] }]),
      segments: {
        1: {
          '1_1.json': { events: turns, message_pool: [1, 2, 3].map((n) => segmentMessage(n, user(`m${n}`))) },
        },
      },
    });
    const { output } = await recover();
    const reader = await openLog(nodeDisk, output);
    const stored = await reader.parts(1, 1);
    const texts: string[] = [];
    for await (const text of stored?.events ?? []) texts.push(text);
    expect(texts.map((text) => JSON.parse(text).input_refs)).toEqual([[[0, 1]], [[0, 2]], [[0, 3]]]);
    expect(texts.map((text) => JSON.parse(text).input)).toEqual([[], [], []]);
    const names = reader.members().map(({ name }) => name);
    expect(names.filter((name) => name.startsWith('samples/'))).toHaveLength(1);
    const { events } = await first(output);
    expect(events.map(({ input }) => (input as Json[]).length)).toEqual([1, 2, 3]);
    await reader.close();
  });

  test('a long reply is inline in the messages and a reference in the event', async () => {
    const long = 'a long reply '.repeat(50);
    const hash = attachmentHash(long);
    await placeFilestore(at.logDir, {
      manifest: manifest([{ summary: done(1), segments: [1] }]),
      segments: {
        1: {
          '1_1.json': {
            events: [segmentEvent(1, modelEvent({ input: [user('Hi')], answer: `attachment://${hash}` }))],
            attachments: [{ id: 1, sample_id: '1', epoch: 1, hash, content: long }],
          },
        },
      },
    });
    const { output } = await recover();
    const reader = await openLog(nodeDisk, output);
    const stored = await reader.parts(1, 1);
    const texts: string[] = [];
    for await (const text of stored?.events ?? []) texts.push(text);
    expect(texts[0]).toContain(`attachment://${hash}`);
    expect(stored?.fields.messages.at(-1)?.content).toBe(long);
    await reader.close();
  });

  test('50 segments of 100 KB of text each: 50 attachments, each as it was', async () => {
    const texts = Array.from({ length: 50 }, (_, n) => `${n} `.repeat(30_000));
    const segments = Object.fromEntries(
      texts.map((text, n) => {
        const hash = attachmentHash(text);
        const event = segmentEvent(n + 1, madeEvent('info', { data: `attachment://${hash}` }));
        return [
          n + 1,
          {
            '1_1.json': {
              events: [event],
              attachments: [{ id: n + 1, sample_id: '1', epoch: 1, hash, content: text }],
            },
          },
        ];
      }),
    );
    await placeFilestore(at.logDir, {
      manifest: manifest([{ summary: done(1), segments: texts.map((_, n) => n + 1) }]),
      segments,
    });
    expect(dataOf(await first((await recover()).output))).toEqual(texts);
  });

  test('attachments with quotes, newlines and every kind of letter come through', async () => {
    const text = 'quotes " and \\ and\nnew lines, ünïcödé 😀, and much more to make it long enough to be one';
    const hash = attachmentHash(text);
    const row = { id: 1, sample_id: '1', epoch: 1, hash, content: text };
    await placeFilestore(at.logDir, {
      manifest: manifest([{ summary: done(1), segments: [1, 2] }]),
      segments: {
        1: { '1_1.json': { events: [info(1, `attachment://${hash}`)], attachments: [row] } },
        2: { '1_1.json': { attachments: [{ ...row, id: 2, content: 'of the same hash, later' }] } },
      },
    });
    expect(dataOf(await first((await recover()).output))).toEqual([text]);
  });
});

describe('the manifest', () => {
  test('completed and running samples are told apart by it', async () => {
    await placeFilestore(at.logDir, {
      manifest: manifest([
        { summary: done('s1'), segments: [1] },
        { summary: running('s2'), segments: [1] },
      ]),
      segments: {
        1: { 's1_1.json': { events: [info(1, 1, 's1')] }, 's2_1.json': { events: [info(2, 2, 's2')] } },
      },
    });
    const samples = await samplesOf((await recover()).output);
    expect(samples.map(({ id, error }) => [id, error?.message])).toEqual([
      ['s1', undefined],
      ['s2', 'CancelledError()'],
    ]);
    expect(samples[1]?.uuid).toMatch(/^\w{22}$/);
  });

  test('without samples: nothing is recovered, and nothing is wrong', async () => {
    await placeFilestore(at.logDir, { manifest: manifest([]), segments: {} });
    expect((await recover()).counts).toMatchObject({ recovered: 0, inFlight: 0, lost: 0 });
  });

  test('a sample whose segments hold no events is there, with every key', async () => {
    await placeFilestore(at.logDir, {
      manifest: manifest([{ summary: done(1), segments: [1] }]),
      segments: { 1: { '1_1.json': {} } },
    });
    const { output } = await recover();
    const sample = await first(output);
    expect(sample).toMatchObject({
      events: [],
      messages: [],
      store: {},
      output: { choices: [] },
      error_retries: [],
    });
    for (const key of ['sandbox', 'files', 'setup', 'timelines', 'invalidation', 'limit', 'error'])
      expect(Reflect.get(sample, key) ?? null).toBeNull();
    const reader = await openLog(nodeDisk, output);
    const rows = [];
    for await (const row of reader.summaries()) rows.push(row);
    await reader.close();
    expect(rows).toHaveLength(1);
  });

  test.each([
    ['is no JSON', 'not json at all'],
    [
      'is torn',
      JSON.stringify(
        manifest([
          { summary: done(1), segments: [1] },
          { summary: done(2), segments: [1] },
        ]),
        null,
        2,
      ).slice(0, -120),
    ],
    ['is missing', undefined],
  ])('that %s: what it said is rebuilt from the segments', async (_, text) => {
    const scored = [
      segmentEvent(
        2,
        madeEvent('sample_init', { sample: { input: 'whole', target: 'yes', id: 2 }, state: {} }),
        '2',
      ),
      segmentEvent(3, madeEvent('span_begin', { id: 's', name: 'scorers', type: 'scorers' }), '2'),
      segmentEvent(4, madeEvent('score', { span_id: 's', scorer: 'match', score: { value: 'C' } }), '2'),
      segmentEvent(5, madeEvent('span_end', { id: 's' }), '2'),
    ];
    await placeFilestore(at.logDir, {
      ...(text === undefined ? {} : { manifest: text }),
      segments: { 1: { '1_1.json': { events: [info(1)] }, '2_1.json': { events: scored } } },
    });
    const report = await recover();
    const samples = await samplesOf(report.output);
    expect(samples.map(({ id }) => id)).toEqual([1, 2]);
    expect(samples[1]).toMatchObject({ input: 'whole', scores: { match: { value: 'C' } } });
    expect(report.problems.map(({ code }) => code)).toContain('E_BUFFER_MANIFEST');
  });
});

describe('full metadata beside the manifest', () => {
  const full = { big: ['x'.repeat(2000)] };
  const text = JSON.stringify(full, null, 2);
  const summary = done(1, { metadata: { big: 'Key removed from summary (> 1k)' } });
  const init = segmentEvent(
    1,
    madeEvent('sample_init', { sample: { input: 'q', id: 1, metadata: { from: 'init' } }, state: {} }),
  );
  const key = digestOf('[\n  "1",\n  1\n]');

  async function withSidecar(content: string | undefined, hash = digestOf(text)) {
    const folder = await placeFilestore(at.logDir, {
      manifest: manifest([{ summary, segments: [1], metadata_hash: hash }]),
      segments: { 1: { '1_1.json': { events: [init] } } },
    });
    if (content !== undefined) await writeFile(join(folder, `metadata.${key}.${hash}.json`), content);
    return recover();
  }

  test('is taken when its digest is the promised one', async () => {
    expect(key).toBe('39881dfc408048aebe51f167d09dc9be89d6e976cd04b71fd27a71d91445dc32');
    expect((await first((await withSidecar(text)).output)).metadata).toEqual(full);
  });

  test.each([
    ['missing', undefined],
    ['changed', `${text} `],
  ])('%s: that of the first event is taken, with a warning', async (_, content) => {
    const report = await withSidecar(content);
    expect((await first(report.output)).metadata).toEqual({ from: 'init' });
    expect(report.problems).toMatchObject([{ code: 'E_BUFFER_SIDECAR', sample: { id: '1', epoch: 1 } }]);
  });

  test('no JSON: the same', async () => {
    const report = await withSidecar('nonsense', digestOf('nonsense'));
    expect(report.problems).toMatchObject([{ code: 'E_BUFFER_SIDECAR' }]);
  });
});

describe('facts of the sample', () => {
  test('files, setup, the sandbox of the eval and a limit', async () => {
    await rm(at.log);
    await placeCrashedLog(at.log, { start: logStart({ sandbox: { type: 'docker' } }) });
    const init = madeEvent('sample_init', {
      sample: { input: 'q', id: 1, files: { 'a.txt': 'x' }, setup: 'go' },
      state: {},
    });
    const limit = madeEvent('sample_limit', { type: 'token', message: 'enough', limit: 1000 });
    await placeFilestore(at.logDir, {
      manifest: manifest([{ summary: done(1, { limit: 'token' }), segments: [1] }]),
      segments: { 1: { '1_1.json': { events: [segmentEvent(1, init), segmentEvent(2, limit)] } } },
    });
    expect(await first((await recover()).output)).toMatchObject({
      files: ['a.txt'],
      setup: 'go',
      sandbox: { type: 'docker' },
      limit: { type: 'token', limit: 1000 },
    });
  });

  test('--no-events', async () => {
    await placeFilestore(at.logDir, {
      manifest: manifest([{ summary: done(1), segments: [1] }]),
      segments: { 1: { '1_1.json': { events: [segmentEvent(1, modelEvent({ input: [user('Hi')] }))] } } },
    });
    const report = await recover({ noEvents: true });
    expect(report).toMatchObject({ deleted: [], problems: [] });
    expect(report.left).toHaveLength(1);
    const sample = await first(report.output);
    expect(sample.events).toEqual([]);
    expect(sample.messages).toHaveLength(2);
  });

  test('an id that looks like a path is kept, and nothing is written outside', async () => {
    const id = '../etc/passwd';
    await placeFilestore(at.logDir, {
      manifest: manifest([{ summary: done(id), segments: [1] }]),
      segments: { 1: { [`${id}_1.json`]: { events: [info(1, 1, id)] } } },
    });
    expect((await first((await recover()).output)).id).toBe(id);
    expect(await readdir(at.root)).toEqual(['logs']);
  });
});

describe('beside a database', () => {
  test('the database is read, and the filestore only for what it lacks', async () => {
    await placeDatabase(at, {
      samples: [{ summary: done(99) }],
      events: [{ sample: '99', event: madeEvent('info', { data: 'db' }) }],
    });
    await placeFilestore(at.logDir, three());
    const report = await recover();
    expect((await samplesOf(report.output)).map(({ id }) => id)).toEqual([1, 99]);
    expect(report.sources.map(({ kind }) => kind)).toEqual(['log', 'database', 'filestore']);
  });

  test('a filestore that the database covers is not even read', async () => {
    const events = [1, 2, 3].map((row) => ({
      id: `i${row}`,
      event: madeEvent('info', { uuid: `i${row}`, data: row }),
    }));
    await placeDatabase(at, { samples: [{ summary: done(1) }], events });
    await placeFilestore(at.logDir, three());
    const report = await recover();
    expect(report.sources.map(({ kind }) => kind)).toEqual(['log', 'database']);
    expect(report.deleted).toHaveLength(2);
  });

  test('rows that only one of them has make one sample', async () => {
    // The database lost its last pages; the filestore has rows 1 to 3 of the same numbering.
    const events = [1, 2].map((row) => ({
      id: `i${row}`,
      event: madeEvent('info', { uuid: `i${row}`, data: row }),
    }));
    await placeDatabase(at, { samples: [{ summary: running(1) }], events });
    await placeFilestore(at.logDir, three());
    const report = await recover();
    expect(dataOf(await first(report.output))).toEqual([1, 2, 3]);
    expect(report.counts).toMatchObject({ recovered: 1, inFlight: 0 });
    expect(report.samples[0]?.from).toEqual(['database', 'filestore']);
  });
});

test('a database with a damaged row does not stand for what is missing in the filestore', async () => {
  const events = [1, 2, 3].map((row) => ({
    id: `i${row}`,
    event: madeEvent('info', { uuid: `i${row}`, data: row }),
  }));
  const path = await placeDatabase(at, { samples: [{ summary: running(1) }], events });
  const db = new DatabaseSync(path);
  db.exec("UPDATE events SET data = '{torn' WHERE id = 2");
  db.close();
  const folder = await placeFilestore(at.logDir, three([cursor(1, 1), cursor(2, 2), cursor(3, 3)]));
  await rm(join(folder, 'segment.2.zip'));
  const report = await recover();
  expect(dataOf(await first(report.output))).toEqual([1, 3]);
  expect(report.samples[0]?.missing).toContain('Events after row 1 are missing with segment 2.');
  expect(report.deleted).toEqual([]);
});

describe('safety', () => {
  test('a filestore that was written a moment ago may be alive, and is refused', async () => {
    const folder = await placeFilestore(at.logDir, three());
    await expect(recover({ forceDead: false })).rejects.toMatchObject({ code: 'E_RECOVER_UNKNOWN' });
    expect(await readdir(folder)).toHaveLength(5);
  });

  test('one that has been silent for long is dead', async () => {
    const folder = await placeFilestore(at.logDir, three());
    for (const name of await readdir(folder)) await utimes(join(folder, name), 1000, 1000);
    await utimes(at.log, 1000, 1000);
    expect((await recover({ forceDead: false })).liveness).toBe('dead');
  });

  test('the folder goes after the log is whole, and an empty .buffer with it', async () => {
    const folder = await placeFilestore(at.logDir, three());
    expect((await recover()).deleted).toEqual([folder]);
    expect((await readdir(at.logDir)).sort()).toEqual(
      [LOG_NAME, LOG_NAME.replace('.eval', '-recovered.eval')].sort(),
    );
  });

  test('the folder of another log stays', async () => {
    await placeFilestore(at.logDir, three());
    const other = await placeFilestore(at.logDir, three(), 'other.eval');
    await recover();
    expect(await readdir(other)).toHaveLength(5);
  });

  test('--keep leaves it', async () => {
    const folder = await placeFilestore(at.logDir, three());
    expect((await recover({ keep: true })).deleted).toEqual([]);
    expect(await readdir(folder)).toHaveLength(5);
  });
});

test('the folder itself can be named', async () => {
  const folder = await placeFilestore(at.logDir, three());
  expect((await recover({ log: folder })).counts.recovered).toBe(1);
});

describe('in a bucket', () => {
  async function upload() {
    const bucket = memoryBucket({ nowMs: () => 1000 });
    await placeFilestore(at.logDir, three());
    const put = async (key: string, path: string) => bucket.create(key, await readFile(path));
    await put(`logs/${LOG_NAME}`, at.log);
    const folder = `.buffer/${LOG_NAME.replace('.eval', '')}`;
    for (const name of await readdir(join(at.logDir, folder)))
      await put(`logs/${folder}/${name}`, join(at.logDir, folder, name));
    return bucket;
  }

  async function samplesIn(bytes: Uint8Array | undefined) {
    const reader = await openLogSource(memorySource('log', bytes ?? new Uint8Array()));
    const header = await reader.header();
    return { status: header.status, samples: await reader.samples() };
  }

  test('log and filestore are read there, and the recovered log is put there', async () => {
    const bucket = await upload();
    const report = await recover({ bucket, log: `logs/${LOG_NAME}`, forceDead: false });
    const key = `logs/${LOG_NAME.replace('.eval', '-recovered.eval')}`;
    expect(report.output).toBe(`memory://${key}`);
    expect(await samplesIn(await bucket.read(key))).toMatchObject({ status: 'error', samples: [{ id: 1 }] });
    const left: string[] = [];
    for await (const object of bucket.list('')) left.push(object.key);
    expect(left.sort()).toEqual([key, `logs/${LOG_NAME}`].sort());
  });

  test('--overwrite: there is a whole log at every moment, and in the end one', async () => {
    const bucket = await upload();
    const seen: boolean[] = [];
    const watched = {
      ...bucket,
      async remove(key: string) {
        if (key.endsWith(LOG_NAME)) {
          const beside = await bucket.read(`logs/${LOG_NAME.replace('.eval', '-new.eval')}`);
          seen.push((await samplesIn(beside)).status === 'error');
        }
        await bucket.remove(key);
      },
    };
    await recover({ bucket: watched, log: `logs/${LOG_NAME}`, overwrite: true });
    expect(seen).toEqual([true]);
    const left: string[] = [];
    for await (const object of bucket.list('')) left.push(object.key);
    expect(left).toEqual([`logs/${LOG_NAME}`]);
    expect((await samplesIn(await bucket.read(`logs/${LOG_NAME}`))).samples).toHaveLength(1);
  });
});

test('flushed samples that dropped out of the manifest are saved from their segments when the log is torn', async () => {
  await rm(at.log);
  await placeCrashedLog(at.log, { batches: [[madeSample(1)]] });
  const bytes = await readFile(at.log);
  await truncate(at.log, bytes.indexOf('samples/1_epoch_1.json') + 50);
  const scored = [
    segmentEvent(1, madeEvent('sample_init', { sample: { input: 'q', target: 'yes', id: 1 }, state: {} })),
    segmentEvent(2, madeEvent('span_begin', { id: 's', name: 'scorers', type: 'scorers' })),
    segmentEvent(3, madeEvent('score', { span_id: 's', scorer: 'match', score: { value: 'C' } })),
    segmentEvent(4, madeEvent('span_end', { id: 's' })),
  ];
  await placeFilestore(at.logDir, {
    manifest: manifest([]),
    segments: { 1: { '1_1.json': { events: scored } } },
  });
  const report = await recover();
  expect(report.counts).toMatchObject({ kept: 0, recovered: 1, lost: 0 });
  expect((await first(report.output)).scores).toMatchObject({ match: { value: 'C' } });
});
