/** Every shape that a log ever had still reads as it did: golden data of our own making, with what it must read as. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isJsonArray, isJsonObject, type Json, type JsonObject, parseJson } from '../../../src/base/index.ts';
import { nodeDisk } from '../../../src/disk/index.ts';
import { convertLog, type LogReader, openLog, verifyLog } from '../../../src/log/index.ts';
import { makeTempDir } from '../../sim/temp-dir.ts';
import type { Reads } from './shapes/shape.ts';

const DIR = join(import.meta.dirname, 'shapes');
const files = readdirSync(DIR).filter((name) => /(?<!\.expected)\.json$|\.eval$/.test(name));
const of = (clause: string) => files.filter((file) => readsOf(file).clause === clause);

test('there is golden data of every old shape', () => {
  expect(files.length).toBeGreaterThanOrEqual(23);
  for (const clause of ['LOG-20', 'LOG-22', 'LOG-23']) expect(of(clause).length, clause).toBeGreaterThan(2);
});

test.each(of('LOG-20'))('[LOG-20] %s, a container of its time, reads as it must', expectReads);
test.each(of('LOG-22'))('[LOG-22] %s, names of its time, reads with the names of today', expectReads);
test.each(of('LOG-23'))('[LOG-23] %s, whole or in chunks, reads the same', expectReads);

test.each(files)('[LOG-24] %s: streamed events and fields are those of the whole sample', async (file) => {
  const reader = await openLog(nodeDisk, join(DIR, file));
  for (const { id, epoch } of await reader.samples()) {
    const sample = await reader.sample(id, epoch);
    const { events, attachments: _, ...fields } = sample ?? { events: [], attachments: {} };
    expect(await Array.fromAsync(reader.events(id, epoch))).toEqual(events);
    expect(await reader.sampleFields(id, epoch)).toEqual(fields);
  }
  await reader.close();
});

test.each(files)('[LOG-32] %s converted to .json and on to .eval reads the same', async (file) => {
  await using dir = await makeTempDir();
  const [json, zip] = [join(dir.path, 'a.json'), join(dir.path, 'b.eval')];
  await convertLog(nodeDisk, { from: join(DIR, file), to: json });
  await convertLog(nodeDisk, { from: json, to: zip });
  const { problems } = await verifyLog(nodeDisk, zip);
  expect(problems.filter(({ code }) => code !== 'unfinished')).toEqual([]);
  const [first, second] = [await openLog(nodeDisk, join(DIR, file)), await openLog(nodeDisk, zip)];
  expect(await second.header()).toEqual(await first.header());
  await expectSamples(second, readsOf(file));
  await first.close();
  await second.close();
});

async function expectReads(file: string): Promise<void> {
  const reads = readsOf(file);
  const reader = await openLog(nodeDisk, join(DIR, file));
  expect(await reader.header()).toMatchObject(reads.header);
  const summaries = await Array.fromAsync(reader.summaries());
  expect(summaries).toHaveLength(reads.summaries.length);
  expect(summaries).toMatchObject(reads.summaries);
  expect(await reader.reductions()).toEqual(reads.reductions);
  await expectSamples(reader, reads);
  await reader.close();
}

/** Each sample is found by its id as a number and as a text; nothing is left that still is a reference. */
async function expectSamples(reader: LogReader, reads: Reads): Promise<void> {
  const keys = await reader.samples();
  const named = (list: readonly JsonObject[]) => list.map(({ id, epoch }) => `${id}/${epoch}`).sort();
  expect(named(keys.map(({ id, epoch }) => ({ id, epoch })))).toEqual(named(reads.samples));
  for (const { events, ...fields } of reads.samples) {
    const sample = await reader.sample(String(fields.id), Number(fields.epoch));
    expect(sample).toMatchObject(fields);
    expect(sample?.events).toEqual(events);
    expect(JSON.stringify(sample, withoutBigints)).not.toMatch(/"(attachment|tc):\/\//);
  }
}

function withoutBigints(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}

function readsOf(file: string): Reads & { readonly clause: string } {
  const reads = parseJson(readFileSync(join(DIR, `${file}.expected.json`), 'utf8'));
  const { clause, says, header, summaries, samples, reductions } = isJsonObject(reads) ? reads : {};
  if (typeof clause !== 'string' || typeof says !== 'string' || !isJsonObject(header))
    throw new Error(`${file}.expected.json says not what it should read as`);
  return {
    ...{ clause, says, header },
    summaries: objectsIn(summaries),
    samples: objectsIn(samples).map((sample) => ({ ...sample, events: objectsIn(sample.events) })),
    ...(reductions !== undefined && { reductions }),
  };
}

function objectsIn(list: Json | undefined): JsonObject[] {
  return isJsonArray(list) ? list.filter(isJsonObject) : [];
}
