import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inflateRawSync, zstdDecompressSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { isJsonArray, isJsonObject, type Json, type JsonObject, parseJson } from '../base/index.ts';
import { nodeDisk } from '../disk/index.ts';
import { attachmentHash } from './attachment-hash.ts';
import { convertLog, type LogProblem, type LogReader, openLog, verifyLog } from './index.ts';

const ROOT = join(import.meta.dirname, '../../../shared/fixtures/inspect');
const isThere = existsSync(ROOT);
const files = isThere ? listLogs(ROOT) : [];
const name = isThere
  ? 'real logs of Inspect'
  : 'real logs of Inspect (skipped: ../shared/fixtures/inspect is not on this machine)';

describe.skipIf(!isThere)(name, () => {
  test('there are logs of every kind', () => {
    expect(files.filter((file) => file.endsWith('.eval')).length).toBeGreaterThan(15);
    expect(files.filter((file) => file.endsWith('.json')).length).toBeGreaterThan(8);
  });

  test.each(files)('[LOG-20] %s reads without loss', async (file) => {
    const stored = readStored(join(ROOT, file));
    await using log = await opened(file);
    const header = await log.reader.header();
    expect(header).toMatchObject(currentNames(stored.header));

    const summaries = await Array.fromAsync(log.reader.summaries());
    expect(summaries.map(({ id, epoch }) => `${id}/${epoch}`).sort()).toEqual(
      [...stored.samples.keys()].sort(),
    );
    expect(await log.reader.reductions()).toEqual(stored.reductions);

    const keys = await log.reader.samples();
    expect(keys).toHaveLength(stored.samples.size);
    for (const { id, epoch } of keys) {
      const sample = await log.reader.sample(id, epoch);
      const original = stored.samples.get(`${id}/${epoch}`);
      if (original) expectSameSample(sample as unknown as JsonObject, original);
      expect(JSON.stringify(sample)).not.toMatch(/"(attachment|tc):\/\/[0-9a-f]{1,32}"/);
    }
  });

  test.each(files)(
    '[LOG-24] %s: the streamed events and the fields are those of the whole sample',
    async (file) => {
      await using log = await opened(file);
      for (const { id, epoch } of await log.reader.samples()) {
        const sample = await log.reader.sample(id, epoch);
        const { events, attachments: _, ...fields } = sample ?? { events: [], attachments: {} };
        expect(await Array.fromAsync(log.reader.events(id, epoch))).toEqual(events);
        expect(await log.reader.sampleFields(id, epoch)).toEqual(fields);
      }
    },
  );

  test.each(readdirSync(join(ROOT, 'ts-mono/chunked')))('[LOG-23] %s is the same chunked', async (file) => {
    await using chunked = await opened(`ts-mono/chunked/${file}`);
    await using original = await opened(`ts-mono/original/${file}`);
    expect(await chunked.reader.header()).toEqual(await original.reader.header());
    for (const { id, epoch } of await original.reader.samples()) {
      const [a, b] = [await chunked.reader.sample(id, epoch), await original.reader.sample(id, epoch)];
      expect(a?.events).toHaveLength(b?.events.length ?? -1);
      expect(comparable(a)).toMatchObject(comparable(b) as object);
    }
  });

  test.each(['log_formats', 'log_read_sample'])('[LOG-20] %s.json and its .eval twin agree', async (twin) => {
    await using json = await opened(`inspect_ai/tests/log/test_eval_log/${twin}.json`);
    await using zip = await opened(`inspect_ai/tests/log/test_eval_log/${twin}.eval`);
    const [a, b] = [await json.reader.header(), await zip.reader.header()];
    expect(Object.keys(a).sort()).toEqual(Object.keys(b).sort());
    expect(a.eval.task).toBe(b.eval.task);
    const [fromJson] = await Array.fromAsync(json.reader.summaries());
    const [fromZip] = await Array.fromAsync(zip.reader.summaries());
    expect(fromJson?.input).toEqual(fromZip?.input);
    expect(Object.keys(fromJson?.scores ?? {})).toEqual(Object.keys(fromZip?.scores ?? {}));
  });

  test.each(files)('[LOG-32] %s converted to .json and to .eval holds the same samples', async (file) => {
    const dir = await mkdtemp(join(tmpdir(), 'holdfast-fixtures-'));
    try {
      await convertLog(nodeDisk, { from: join(ROOT, file), to: join(dir, 'a.json') });
      await convertLog(nodeDisk, { from: join(dir, 'a.json'), to: join(dir, 'b.eval') });
      expect((await verifyLog(nodeDisk, join(dir, 'b.eval'))).problems.filter(isOurs)).toEqual([]);
      const converted = await openLog(nodeDisk, join(dir, 'b.eval'));
      await using original = await opened(file);
      expect(await converted.header()).toEqual(await original.reader.header());
      expect(await converted.samples()).toEqual(await original.reader.samples());
      for (const { id, epoch } of await original.reader.samples()) {
        const sample = { ...(await original.reader.sample(id, epoch)) };
        expect(await converted.sample(id, epoch)).toMatchObject(sample);
      }
      await converted.close();
    } finally {
      await rm(dir, { recursive: true });
    }
  });

  test('[LOG-22] version 3 pools are read, although Inspect itself drops them', async () => {
    await using log = await opened('inspect_ai/tests/log/test_eval_log/log_message_deduplication.eval');
    const sample = await log.reader.sample(0, 1);
    const inputs = sample?.events.filter((event) => event.event === 'model').map((event) => event.input);
    expect(inputs?.length).toBeGreaterThan(0);
    for (const input of inputs ?? []) expect(input).not.toEqual([]);
  });

  test('[LOG-10] Inspect gives its attachments the names that we give them', () => {
    const { samples } = readStored(join(ROOT, 'ts-mono/original/ais-decoder.eval'));
    const attachments = samples.get('1/1')?.attachments as Record<string, string>;
    expect(Object.keys(attachments)).toHaveLength(51);
    for (const [hash, text] of Object.entries(attachments)) expect(attachmentHash(text)).toBe(hash);
  });
});

/** A run that Inspect never finished stays so. */
function isOurs({ code }: LogProblem): boolean {
  return code !== 'unfinished';
}

async function opened(file: string): Promise<{ readonly reader: LogReader } & AsyncDisposable> {
  const reader = await openLog(nodeDisk, join(ROOT, file));
  return { reader, [Symbol.asyncDispose]: () => reader.close() };
}

/** Skeletons are parts of logs, and the schema is none. */
function listLogs(root: string): string[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(eval|json)$/.test(file) && !/skeleton|schema/.test(file))
    .sort();
}

interface Stored {
  readonly header: JsonObject;
  readonly reductions: Json | undefined;
  /** Only samples that are one document: chunked ones are compared with their originals. */
  readonly samples: Map<string, JsonObject>;
}

/** A second, naive reading of the same file, to compare with. */
function readStored(path: string): Stored {
  const samples = new Map<string, JsonObject>();
  const add = (sample: Json) => {
    if (isJsonObject(sample)) samples.set(`${sample.id}/${sample.epoch}`, sample);
  };
  if (path.endsWith('.json')) {
    const { samples: list, reductions, ...header } = parseJson(readFileSync(path, 'utf8')) as JsonObject;
    if (isJsonArray(list)) list.forEach(add);
    return { header, samples, reductions: reductions ?? legacyReductions(header) };
  }
  const members = unzip(readFileSync(path));
  for (const [member, value] of members)
    if (/^samples\/.*(_\d+\.json|\/sample\.json)$/.test(member)) add(value);
  const header = members.get('header.json') as JsonObject;
  return { header, samples, reductions: members.get('reductions.json') ?? legacyReductions(header) };
}

function legacyReductions(header: JsonObject): Json | undefined {
  return isJsonObject(header.results) ? header.results.sample_reductions : undefined;
}

function unzip(bytes: Buffer): Map<string, Json> {
  const end = bytes.length - 22;
  const members = new Map<string, Json>();
  let at = bytes.readUInt32LE(end + 16);
  for (let left = bytes.readUInt16LE(end + 10); left > 0; left--) {
    const nameEnd = at + 46 + bytes.readUInt16LE(at + 28);
    const local = bytes.readUInt32LE(at + 42);
    const start = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28);
    const raw = bytes.subarray(start, start + bytes.readUInt32LE(at + 20));
    const decode = { 0: (b: Buffer) => b, 8: inflateRawSync, 93: zstdDecompressSync }[
      bytes.readUInt16LE(at + 10)
    ];
    members.set(bytes.toString('utf8', at + 46, nameEnd), parseJson((decode?.(raw) ?? raw).toString()));
    at = nameEnd + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
  }
  return members;
}

/** What a header of old must turn into. */
function currentNames(header: JsonObject): JsonObject {
  const results = header.results;
  if (!isJsonObject(results)) return header;
  const { sample_reductions: _, ...rest } = results;
  return { ...header, results: rest };
}

/** Every stored key is there, with the stored value once references are replaced by what they refer to. */
function expectSameSample(sample: JsonObject, stored: JsonObject): void {
  const transcript = isJsonObject(stored.transcript) ? stored.transcript : undefined;
  const isChunked = isJsonArray(stored.message_refs);
  const attachments = (stored.attachments ?? transcript?.content ?? {}) as Record<string, string>;
  const skipped = [
    'events',
    'attachments',
    'events_data',
    'transcript',
    'message_pool',
    'call_pool',
    'message_refs',
    'score',
  ];
  for (const [key, value] of Object.entries(stored)) {
    if (skipped.includes(key) || value === undefined || value === null || isChunked) continue;
    expect(sample[key]).toEqual(replaced(value, attachments));
  }
  const events = stored.events ?? transcript?.events;
  if (!isJsonArray(events)) return;
  expect(sample.events).toHaveLength(events.length);
  for (const [index, event] of events.entries()) {
    const { input: _1, input_refs: _2, call: _3, ...rest } = replaced(event, attachments) as JsonObject;
    expect((sample.events as Json[])[index]).toMatchObject(rest);
  }
}

function replaced(value: Json, attachments: Record<string, string>): Json {
  return parseJson(
    JSON.stringify(value, (_, item: unknown) => {
      const hash = typeof item === 'string' ? /^(?:attachment|tc):\/\/(.*)$/.exec(item)?.[1] : undefined;
      return hash === undefined ? item : (attachments[hash] ?? item);
    }),
  );
}

/** Chunking went through Inspect's model, which fills defaults and brings times to UTC; neither is a difference. */
function comparable(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (key, item: unknown) => {
      if (item === null || key === 'completion' || (key === 'history' && isEmptyList(item))) return undefined;
      const time = typeof item === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+[+-]\d\d:\d\d$/.test(item);
      return time ? new Date(item).toISOString() : item;
    }),
  );
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}
