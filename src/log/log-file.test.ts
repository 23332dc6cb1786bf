import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fixtureFields, fixtureHeader, fixtureParts } from '../../test/sim/log-fixture.ts';
import { type Json, stringifyJson } from '../base/index.ts';
import { nodeDisk } from '../disk/index.ts';
import { compressStream } from './compress.ts';
import { decompressAtOnce, decompressStream } from './decompress.ts';
import {
  type ChatMessage,
  type CompressionMethod,
  createLogFile,
  type LogEvent,
  type LogReader,
  openLog,
  type SampleFields,
  type SampleParts,
  summarize,
  verifyLog,
} from './index.ts';
import { METHOD_ZSTD } from './zip-format.ts';

let dir = '';
let count = 0;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'holdfast-log-'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const header = fixtureHeader();
const partsOf = (fields: SampleFields, events: readonly LogEvent[] = []) => fixtureParts({ fields, events });

async function writeLog(
  samples: readonly SampleParts[],
  method: CompressionMethod = 'zstd',
): Promise<string> {
  const path = join(dir, `${count++}.eval`);
  const file = await createLogFile(nodeDisk, path, { method });
  try {
    await file.writeStart({ version: 2, eval: header.eval, plan: header.plan });
    for (const parts of samples) await file.writeSample(parts);
    await file.writeSummaries(samples.map(({ fields }) => summarize(fields)));
    await file.writeHeader(header);
    await file.finish();
  } catch (error) {
    await file.abandon();
    throw error;
  }
  return path;
}

async function withLog<T>(path: string, use: (reader: LogReader) => Promise<T>): Promise<T> {
  const reader = await openLog(nodeDisk, path, { scratchDir: dir });
  try {
    return await use(reader);
  } finally {
    await reader.close();
  }
}

const text = fc.oneof(fc.string({ unit: 'grapheme' }), fc.string({ minLength: 90, maxLength: 300 }));
const message = fc.record({
  role: fc.constantFrom('user' as const, 'assistant' as const),
  content: fc.oneof(text, fc.array(fc.record({ type: fc.constant('text'), text }), { maxLength: 2 })),
});
const modelEvent = fc
  .record({
    input: fc.array(message, { maxLength: 4 }),
    reply: text,
    request: fc.array(message, { maxLength: 3 }),
  })
  .map(
    ({ input, reply, request }): LogEvent => ({
      event: 'model',
      timestamp: '2026-01-01T00:00:00+00:00',
      model: 'mock/m',
      input: input,
      tools: [],
      tool_choice: 'auto',
      config: {},
      output: { choices: [{ message: { role: 'assistant', content: reply }, stop_reason: 'stop' }] },
      call: { request: { model: 'm', messages: request }, response: { text: reply } },
    }),
  );
const infoEvent = fc
  .record({ data: fc.oneof(text, fc.double({ noInteger: true }), fc.dictionary(fc.string(), text)) })
  .map(({ data }): LogEvent => ({ event: 'info', timestamp: '2026-01-01T00:00:00+00:00', data }));
const sample = fc.record({
  id: fc.oneof(
    fc.nat(),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }),
    fc.constantFrom('../x', 'a/b c'),
  ),
  events: fc.array(fc.oneof(modelEvent, infoEvent), { maxLength: 8 }),
  metadata: fc.dictionary(fc.string(), fc.oneof(fc.double(), text)),
});

test('[LOG-24] what is written is read back: whole, as fields, as events, with every method', async () => {
  const property = fc.asyncProperty(
    fc.uniqueArray(sample, { maxLength: 4, selector: ({ id }) => String(id) }),
    fc.constantFrom('zstd' as const, 'deflate' as const, 'stored' as const),
    async (samples, method) => {
      const parts = samples.map(({ id, events, metadata }) =>
        partsOf(fixtureFields(id, { metadata }), events),
      );
      const path = await writeLog(parts, method);
      await withLog(path, async (reader) => {
        expect(await reader.header()).toEqual(header);
        expect(await reader.samples()).toHaveLength(samples.length);
        for (const { id, events, metadata } of samples) {
          const read = await reader.sample(id, 1);
          expect(stringifyJson((read?.metadata ?? null) as Json)).toBe(stringifyJson(metadata));
          expect(read?.id).toBe(id);
          expect(read?.events).toEqual(events);
          expect(await Array.fromAsync(reader.events(id, 1))).toEqual(events);
          const { events: _1, attachments: _2, ...fields } = read ?? { events: [], attachments: {} };
          expect(await reader.sampleFields(id, 1)).toEqual(fields);
        }
      });
      expect((await verifyLog(nodeDisk, path)).problems).toEqual([]);
      await rm(path);
    },
  );
  await fc.assert(property, { numRuns: 60 });
});

test('[LOG-3] sizes are in the local header, the end record is last, and no member has a data descriptor', async () => {
  const small = partsOf(fixtureFields('ä'), []);
  const large: SampleParts = {
    ...small,
    fields: fixtureFields(2),
    events: Array.from({ length: 300 }, (_, n) => stringifyJson({ event: 'info', data: noise(n, 8_000) })),
  };
  const path = await writeLog([small, large]);
  const bytes = await readFile(path);
  const end = bytes.length - 22;
  expect(bytes.readUInt32LE(end)).toBe(0x06054b50);
  expect(bytes.readUInt16LE(end + 20)).toBe(0);
  let at = bytes.readUInt32LE(end + 16);
  const seen: string[] = [];
  for (let left = bytes.readUInt16LE(end + 10); left > 0; left--) {
    const nameBytes = bytes.readUInt16LE(at + 28);
    const name = bytes.toString('utf8', at + 46, at + 46 + nameBytes);
    const local = bytes.readUInt32LE(at + 42);
    const isStreamed = bytes.readUInt32LE(local + 18) === 0xffffffff;
    const extra = local + 30 + nameBytes;
    const compressed = isStreamed ? bytes.readUInt32LE(extra + 12) : bytes.readUInt32LE(local + 18);
    const size = isStreamed ? bytes.readUInt32LE(extra + 4) : bytes.readUInt32LE(local + 22);
    expect(bytes.readUInt16LE(local + 6)).toBe(name.includes('ä') ? 0x0800 : 0);
    expect(bytes.readUInt16LE(local + 8)).toBe(METHOD_ZSTD);
    expect(compressed).toBe(bytes.readUInt32LE(at + 20));
    expect(size).toBe(bytes.readUInt32LE(at + 24));
    expect(bytes.readUInt32LE(local + 14)).toBe(bytes.readUInt32LE(at + 16));
    expect(bytes.readUInt16LE(local + 28)).toBe(isStreamed ? 20 : 0);
    expect(bytes.readUInt16LE(at + 4)).toBe(0x0314);
    expect(bytes.readUInt32LE(at + 38)).toBe(0x01800000);
    seen.push(`${name}${isStreamed ? ' (streamed)' : ''}`);
    at += 46 + nameBytes + bytes.readUInt16LE(at + 30);
  }
  expect(seen).toEqual([
    '_journal/start.json',
    'samples/ä_epoch_1.json',
    'samples/2_epoch_1.json (streamed)',
    'summaries.json',
    'header.json',
  ]);
});

test('[LOG-3] more than 65,535 members: offset and size are masked too, so that the viewer looks for the rest', async () => {
  const path = join(dir, 'many.eval');
  const file = await createLogFile(nodeDisk, path, { method: 'stored' });
  await file.writeHeader(header);
  for (let n = 0; n < 65_600; n++) await file.writeJson(`x/${n}.json`, n);
  await file.finish();
  const bytes = await readFile(path);
  expect(bytes.readUInt32LE(bytes.length - 22 + 16)).toBe(0xffffffff);
  expect(bytes.readUInt32LE(bytes.length - 22 + 12)).toBe(0xffffffff);
  await withLog(path, async (reader) => expect(reader.members()).toHaveLength(65_601));
});

test('[LOG-4] every key that Inspect always writes is there', async () => {
  const bare = { id: 1, epoch: 1, input: 'q', target: 't' } as SampleFields;
  const path = await writeLog([partsOf(bare, [])]);
  const stored = await withLog(path, async (reader) => {
    const chunks = await Array.fromAsync(reader.readMember('samples/1_epoch_1.json') ?? []);
    return JSON.parse(Buffer.concat(chunks).toString()) as object;
  });
  expect(Object.keys(stored)).toEqual([
    'id',
    'epoch',
    'input',
    'target',
    'messages',
    'output',
    'scores',
    'metadata',
    'store',
    'events',
    'model_usage',
    'role_usage',
    'error_retries',
    'attachments',
    'events_data',
  ]);
});

test('[LOG-5] the same content gives the same bytes', async () => {
  const parts = () => [partsOf(fixtureFields(1), [{ event: 'info', timestamp: 'x', data: 'y'.repeat(500) }])];
  const [a, b] = [await readFile(await writeLog(parts())), await readFile(await writeLog(parts()))];
  expect(a.equals(b)).toBe(true);
});

test('[LOG-20] of two members with one name the last one counts', async () => {
  const path = await writeLog([
    partsOf(fixtureFields(1, { input: 'old' }), []),
    partsOf(fixtureFields(1, { input: 'new' }), []),
  ]);
  await withLog(path, async (reader) => {
    expect((await reader.sample(1, 1))?.input).toBe('new');
    expect(await reader.samples()).toEqual([{ id: 1, epoch: 1 }]);
  });
});

test('[LOG-26] copying a member does not decode it, and its checksum goes along', async () => {
  const from = await writeLog([partsOf(fixtureFields('kept'), [])], 'deflate');
  const path = join(dir, 'copied.eval');
  await withLog(from, async (reader) => {
    const file = await createLogFile(nodeDisk, path);
    await file.copyMember(reader, 'samples/kept_epoch_1.json');
    await file.writeSummaries(reader.summaries());
    await file.writeHeader(header);
    await file.finish();
    const original = reader.members().find(({ name }) => name.startsWith('samples/'));
    await withLog(path, async (copy) => {
      expect(copy.members()[0]).toEqual(original);
      expect(await copy.sample('kept', 1)).toEqual(await reader.sample('kept', 1));
    });
  });
  expect((await verifyLog(nodeDisk, path)).isWhole).toBe(true);
});

test('NaN, infinities, big integers and lone surrogates survive', async () => {
  const metadata = { nan: Number.NaN, inf: -Infinity, big: 2n ** 70n, lone: 'a\ud800' };
  const path = await writeLog([partsOf(fixtureFields(1, { metadata }), [])]);
  await withLog(path, async (reader) => {
    expect((await reader.sample(1, 1))?.metadata).toEqual({ ...metadata, lone: 'a\\ud800' });
  });
});

test('an id that is longer than a name can be is refused, and says so', async () => {
  await expect(writeLog([partsOf(fixtureFields('x'.repeat(70_000)), [])])).rejects.toMatchObject({
    code: 'E_LOG_NAME_TOO_LONG',
  });
});

test('a sample in memory and in a stream of attachments beyond memory are the same', async () => {
  const events = Array.from(
    { length: 20 },
    (_, n): LogEvent => ({ event: 'info', timestamp: 'x', data: { n, text: noise(n, 1_000).repeat(1_000) } }),
  );
  const history: ChatMessage[] = Array.from({ length: 5 }, (_, n) => ({
    role: 'user',
    content: noise(n + 100, 200),
  }));
  events.push({ event: 'model', timestamp: 'x', input: history });
  const path = await writeLog([partsOf(fixtureFields(1), events)]);
  await withLog(path, async (reader) => {
    let index = 0;
    for await (const event of reader.events(1, 1))
      expect(stringifyJson(event)).toBe(stringifyJson(events[index++] ?? null));
    expect(index).toBe(21);
  });
});

test('[LOG-9] a zstd member of many frames is read whole, at once and streamed', async () => {
  const input = Buffer.from(noise(1, 100_000));
  const parts: Uint8Array[] = [];
  async function* chunks() {
    for (let at = 0; at < input.length; at += 7_001) yield input.subarray(at, at + 7_001);
  }
  const write = async (bytes: Uint8Array) => void parts.push(bytes);
  await compressStream(chunks(), { method: 'zstd', write, frameInputBytesMax: 10_000 });
  const compressed = Buffer.concat(parts);
  expect(Buffer.from(decompressAtOnce(compressed, METHOD_ZSTD, input.length)).equals(input)).toBe(true);
  async function* bytewise() {
    for (let at = 0; at < compressed.length; at += 13) yield compressed.subarray(at, at + 13);
  }
  const streamed = await Array.fromAsync(decompressStream(bytewise(), METHOD_ZSTD));
  expect(Buffer.concat(streamed).equals(input)).toBe(true);
});

/** Text that does not compress to nothing. */
function noise(seed: number, characters: number): string {
  let state = seed + 1;
  let text = '';
  while (text.length < characters) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    text += state.toString(36);
  }
  return text.slice(0, characters);
}
