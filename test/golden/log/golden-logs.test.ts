import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Json, stringifyJson } from '../../../src/base/index.ts';
import { nodeDisk } from '../../../src/disk/index.ts';
import { convertLog, openLog, verifyLog } from '../../../src/log/index.ts';
import { goldenHeader, goldenSamples } from './golden-content.ts';

const dir = import.meta.dirname;
/** In this order: who finds the header knows that all the rest is there [LOG-1]. */
const MEMBERS = [
  '_journal/start.json',
  'samples/1_epoch_1.json',
  'samples/3_epoch_1.json',
  'samples/zwei/../ä_epoch_1.json',
  'summaries.json',
  'reductions.json',
  'header.json',
];

test.each(['v2-zstd.eval', 'v2-deflate.eval', 'v2-stored.eval', 'v2-log.json'])(
  '[LOG-1] the golden log %s reads as it was written',
  async (name) => {
    const reader = await openLog(nodeDisk, join(dir, name));
    expect(canonical(await reader.header())).toBe(canonical(goldenHeader));
    for (const { fields, events } of goldenSamples()) {
      const sample = await reader.sample(fields.id, fields.epoch);
      expect(canonical(sample)).toBe(canonical({ ...fields, events, attachments: {} }));
    }
    expect((await Array.fromAsync(reader.summaries())).map(({ id }) => id).sort()).toEqual([
      1,
      3,
      'zwei/../ä',
    ]);
    expect(await reader.reductions()).toHaveLength(1);
    await reader.close();
    expect((await verifyLog(nodeDisk, join(dir, name))).problems).toEqual([]);
  },
);

test('[LOG-6] the golden unfinished log is started, and lists what it has', async () => {
  const reader = await openLog(nodeDisk, join(dir, 'v2-unfinished.eval'));
  expect((await reader.header()).status).toBe('started');
  expect((await Array.fromAsync(reader.summaries())).map(({ id }) => id)).toEqual([1, 'zwei/../ä']);
  await reader.close();
});

test('[LOG-32] converting there and back keeps every sample', async () => {
  const temp = await mkdtemp(join(tmpdir(), 'holdfast-convert-'));
  try {
    const steps = [
      { from: join(dir, 'v2-zstd.eval'), to: join(temp, 'a.json') },
      { from: join(temp, 'a.json'), to: join(temp, 'b.eval') },
      { from: join(temp, 'b.eval'), to: join(temp, 'c.eval'), method: 'deflate' as const },
    ];
    for (const step of steps) await convertLog(nodeDisk, step);
    const reader = await openLog(nodeDisk, join(temp, 'c.eval'));
    expect(new Set(reader.members().map(({ method }) => method))).toEqual(new Set([8]));
    expect(reader.members().map(({ name }) => name)).toEqual(MEMBERS);
    expect(canonical(await reader.header())).toBe(canonical(goldenHeader));
    for (const { fields, events } of goldenSamples()) {
      const sample = await reader.sample(fields.id, fields.epoch);
      expect(canonical(sample)).toBe(canonical({ ...fields, events, attachments: {} }));
    }
    await reader.close();
    expect((await verifyLog(nodeDisk, join(temp, 'c.eval'))).problems).toEqual([]);
    expect((await nodeDisk.list(temp))?.map(({ name }) => name)).toEqual(['a.json', 'b.eval', 'c.eval']);
  } finally {
    await rm(temp, { recursive: true });
  }
});

test('[LOG-32] a log that cannot be converted leaves nothing behind', async () => {
  const temp = await mkdtemp(join(tmpdir(), 'holdfast-convert-'));
  try {
    const torn = join(temp, 'torn.eval');
    const bytes = await readFile(join(dir, 'v2-zstd.eval'));
    const flipped = Buffer.from(bytes);
    const at = flipped.indexOf('samples/1_epoch_1.json') + 60;
    flipped[at] = (flipped[at] ?? 0) ^ 0xff;
    const file = await nodeDisk.open(torn, 'create');
    await file.write(flipped, 0);
    await file.close();
    await expect(convertLog(nodeDisk, { from: torn, to: join(temp, 'x.json') })).rejects.toThrow(
      'samples/1_epoch_1.json',
    );
    expect((await nodeDisk.list(temp))?.map(({ name }) => name)).toEqual(['torn.eval']);
  } finally {
    await rm(temp, { recursive: true });
  }
});

/** NaN and bigint included; the order of keys does not matter. */
function canonical(value: unknown): string {
  return stringifyJson(sorted(value as Json));
}

function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map((item: Json) => sorted(item));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, item]) => [key, sorted(item as Json)]));
}
