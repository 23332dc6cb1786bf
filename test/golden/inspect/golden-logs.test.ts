/** Logs that Inspect itself wrote, of several of its versions: what it named and computed is what we name and compute. */
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isJsonObject, parseJson } from '../../../src/base/index.ts';
import { nodeDisk } from '../../../src/disk/index.ts';
import { attachmentHash, type LogReader, openLog, sampleMemberName } from '../../../src/log/index.ts';
import { computeResults, type SampleScores } from '../../../src/stats/index.ts';

const DIR = import.meta.dirname;
const logs = globSync('**/*.eval', { cwd: DIR }).sort();

test('[LOG-10] Inspect gives its attachments the names that we give them', async () => {
  let attachments = 0;
  for (const file of logs) {
    await using log = await opened(file);
    for (const { id, epoch } of await log.reader.samples()) {
      for (const [hash, text] of await storedAttachments(log.reader, sampleMemberName(id, epoch))) {
        expect(attachmentHash(text)).toBe(hash);
        attachments++;
      }
    }
  }
  expect(attachments).toBeGreaterThan(20);
});

test('the numbers of its results are those that we compute from its samples', async () => {
  let compared = 0;
  for (const file of logs) {
    await using log = await opened(file);
    const header = await log.reader.header();
    const samples = await scoredSamples(log.reader);
    if (header.results === undefined || header.results.scores.length === 0 || samples.length === 0) continue;
    const { results } = await computeResults({
      samples,
      scorers: header.eval.scorers ?? [],
      ...(header.eval.metrics !== undefined && { metrics: header.eval.metrics }),
      totalSamples: header.results.total_samples,
      completedSamples: header.results.completed_samples,
    });
    expect(results.scores.map(numbers), file).toEqual(header.results.scores.map(numbers));
    compared++;
  }
  expect(compared).toBeGreaterThan(3);
});

async function opened(file: string): Promise<{ readonly reader: LogReader } & AsyncDisposable> {
  const reader = await openLog(nodeDisk, join(DIR, file));
  return { reader, [Symbol.asyncDispose]: () => reader.close() };
}

async function scoredSamples(reader: LogReader): Promise<SampleScores[]> {
  const samples: SampleScores[] = [];
  for (const { id, epoch } of await reader.samples()) {
    const fields = await reader.sampleFields(id, epoch);
    if (fields?.scores !== undefined && fields.error === undefined) samples.push({ ...fields, scores: fields.scores });
  }
  return samples;
}

/** As they are stored, before our reader has replaced the references. */
async function storedAttachments(reader: LogReader, member: string): Promise<[string, string][]> {
  const bytes = Buffer.concat(await Array.fromAsync(reader.readMember(member) ?? []));
  const sample = parseJson(bytes.toString('utf8'));
  if (!isJsonObject(sample) || !isJsonObject(sample.attachments)) return [];
  return Object.entries(sample.attachments).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
}

type Numbered = { name: string; scorer: string; metrics: Readonly<Record<string, { value: number }>> };

function numbers({ name, scorer, metrics }: Numbered) {
  const values = Object.entries(metrics).map(([key, { value }]) => [key, expect.closeTo(value, 12)]);
  return [name, scorer, Object.fromEntries(values)];
}
