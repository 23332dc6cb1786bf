import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import { readJournal } from '../../../src/journal/index.ts';
import { newWriter, runRecord } from '../../sim/journal-fixture.ts';
import { makeTempDir } from '../../sim/temp-dir.ts';
import { describeJournal, describeSegments, toGoldenText, unpack } from './golden-journal.ts';

const SEGMENTS = join(import.meta.dirname, '..', 'segment');
const expectedIn = (dir: string) => JSON.parse(readFileSync(join(dir, 'expected.json'), 'utf8'));

describe('journals of every version that was ever written', () => {
  const all = globSync('v*/*', { cwd: import.meta.dirname }).sort();
  test('there are whole and damaged ones of each version', () => {
    const cases = { v1: ['cut', 'good', 'zeroed-page'], v2: ['cut', 'good', 'log-gone', 'zeroed-page'] };
    expect(all).toEqual(Object.entries(cases).flatMap(([version, names]) => names.map((name) => join(version, name))));
  });

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
  const all = globSync('v*/*', { cwd: SEGMENTS }).sort();
  const damaged = all.filter((name) => !name.endsWith('/good'));
  const read = async (name: string) => {
    await using dir = await makeTempDir();
    await unpack(join(SEGMENTS, name, 'bucket'), join(dir.path, 'bucket'));
    return JSON.parse(toGoldenText(await describeSegments(dir.path)));
  };

  test.each(all.filter((name) => name.endsWith('/good')))('[SEG-7] %s becomes the journal that it was', async (name) => {
    const { problems, journal } = await read(name);
    expect(problems).toBe(0);
    expect(journal).toEqual(expectedIn(join(SEGMENTS, name)));
  });

  test('there are damaged ones of each version', () => {
    const cases = ['cut', 'flipped', 'gap'];
    expect(all.filter((name) => name.endsWith('/good'))).toEqual(['v1/good', 'v2/good']);
    expect(damaged).toEqual(['v1', 'v2'].flatMap((version) => cases.map((name) => `${version}/${name}`)));
  });

  test.each(damaged)('[SEG-2] [SEG-8] %s gives exactly what is written beside it', async (name) => {
    expect(await read(name)).toEqual(expectedIn(join(SEGMENTS, name)));
  });

  test.each(damaged)('[SEG-2] [SEG-7] %s: an attempt is as it was, or it has no result', async (name) => {
    const { problems, isComplete, journal } = await read(name);
    const { attempts } = expectedIn(join(SEGMENTS, dirname(name), 'good'));
    const changed = journal.attempts.filter((one: unknown, at: number) => !isDeepStrictEqual(one, attempts[at]));
    expect(journal.attempts).toHaveLength(attempts.length);
    expect(changed.length).toBeGreaterThan(0);
    expect(changed.length).toBeLessThan(attempts.length);
    for (const { result, status } of changed) expect([result, status]).toEqual([null, undefined]);
    expect([problems > 0, isComplete]).toEqual([true, false]);
  });
});
