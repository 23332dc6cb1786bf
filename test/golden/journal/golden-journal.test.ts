import { globSync, readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { directoryBucket } from '../../../src/bucket/index.ts';
import { nodeDisk } from '../../../src/disk/index.ts';
import { importWriter, listSegmentedRuns, listWriters, readJournal } from '../../../src/journal/index.ts';
import { newWriter, runRecord } from '../../sim/journal-fixture.ts';
import { makeTempDir } from '../../sim/temp-dir.ts';
import { describeJournal, toGoldenText, unpack } from './golden-journal.ts';

const SEGMENTS = join(import.meta.dirname, '..', 'segment');
const expectedIn = (dir: string) => JSON.parse(readFileSync(join(dir, 'expected.json'), 'utf8'));

describe('journals of every version that was ever written', () => {
  const all = globSync('v*/*', { cwd: import.meta.dirname }).sort();
  test.each(all)('%s gives exactly what is written beside it', async (name) => {
    await using dir = await makeTempDir();
    const golden = join(import.meta.dirname, name);
    await unpack(join(golden, 'run'), dir.path);
    const reader = readJournal(join(dir.path, 'journal.db'));
    expect(JSON.parse(toGoldenText(describeJournal(reader)))).toEqual(expectedIn(golden));
    reader.close();
  });

  test.each(['v1/good', 'v2/good'])('[JRN-14] attempts of %s are copied into a journal of today', async (name) => {
    await using dir = await makeTempDir();
    const golden = join(import.meta.dirname, name);
    await unpack(join(golden, 'run'), join(dir.path, 'old'));
    const source = readJournal(join(dir.path, 'old', 'journal.db'));
    const writer = await newWriter(dir.path, runRecord());
    const numbers = [...source.outline()].map(({ n }) => n);
    expect([...writer.copyFrom(source, numbers).keys()]).toEqual(numbers);
    writer.close();
    source.close();
    const copy = readJournal(writer.reader.path);
    const { attempts, isDamaged } = JSON.parse(toGoldenText(describeJournal(copy)));
    expect(attempts).toEqual(expectedIn(golden).attempts);
    expect(isDamaged).toBe(false);
    copy.close();
  });
});

describe('segments of every version that was ever written', () => {
  test.each(globSync('v*/*', { cwd: SEGMENTS }).sort())('[SEG-7] %s becomes the journal that it was', async (name) => {
    await using dir = await makeTempDir();
    const golden = join(SEGMENTS, name);
    await unpack(join(golden, 'bucket'), join(dir.path, 'bucket'));
    const bucket = directoryBucket(nodeDisk, join(dir.path, 'bucket'));
    const [run = ''] = await listSegmentedRuns(bucket, '');
    const [writer = ''] = await listWriters(bucket, '', run);
    const runDir = join(dir.path, 'home');
    await mkdir(runDir);
    const report = await importWriter({ disk: nodeDisk, bucket, prefix: '', run, writer, runDir });
    expect(report.problems).toEqual([]);
    const reader = readJournal(join(runDir, writer, 'journal.db'));
    expect(JSON.parse(toGoldenText(describeJournal(reader)))).toEqual(expectedIn(golden));
    reader.close();
  });
});
