import { readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { useTempDir } from '../../test/sim/use-temp-dir.ts';
import { digestOf } from '../base/index.ts';
import { nodeDisk } from '../disk/index.ts';
import { directoryLogStore, type EvalSampleSummary } from '../log/index.ts';
import { type IndexedSample, isSameDigest, LogIndex } from './log-index.ts';
import { readyIndex } from './refresh-index.ts';
import { readMark, withMark } from './sample-mark.ts';
import { fitsLimits, usedBy } from './used-limits.ts';

const dir = useTempDir();
const USED = { tokens: 100, turns: 2, messages: 4, usd: 0.5 };
const sample = (name: string, more: Partial<IndexedSample> = {}): IndexedSample => ({
  name,
  state: 'completed',
  key: digestOf(`key ${name}`),
  asked: digestOf(`asked ${name}`),
  content: digestOf(`content ${name}`),
  used: USED,
  later: undefined,
  answers: undefined,
  ...more,
});
const log = (name: string, more = {}) => ({
  name,
  sizeBytes: 1,
  modifiedMs: 2,
  eval: 'e',
  target: 'm',
  runId: `run of ${name}`,
  status: 'success',
  ...more,
});
const EARLY = '2026-01-01T00-00-00+00-00_e_a.eval';
const LATE = '2026-01-01T00-00-01+00-00_e_a.eval';

describe('the index of logs', () => {
  test('gives what the latest log holds first, whichever was read first', () => {
    using index = LogIndex.inMemory();
    index.keepAll([{ log: log(LATE), samples: [sample('a')] }]);
    index.keepAll([{ log: log(EARLY), samples: [sample('a'), sample('b', { state: 'errored' })] }]);
    const names = (found: Iterable<{ readonly log: string }> = []) => [...found].map((one) => one.log);
    expect(names(index.byKey(digestOf('key a')))).toEqual([LATE, EARLY]);
    expect(names(index.byAsked(digestOf('asked a')))).toEqual([LATE, EARLY]);
    expect(names(index.bySample('e', { id: 'a', epoch: 1 }))).toEqual([]);
    expect(names(index.byKey(digestOf('key b')))).toEqual([]);
  });

  test('gives back all that it was told of a sample', () => {
    using index = LogIndex.inMemory();
    const told = sample('a_epoch_1', {
      used: { ...USED, ended: { type: 'token', limit: 50 } },
      later: { 'x.ts': digestOf('x') },
      answers: 'abc 12',
    });
    index.keepAll([{ log: log(LATE), samples: [told] }]);
    const [found] = index.bySample('e', { id: 'a', epoch: 1 }) ?? [];
    expect(found).toMatchObject({
      log: LATE,
      target: 'm',
      runId: `run of ${LATE}`,
      state: 'completed',
      used: told.used,
      later: told.later,
      answers: 'abc 12',
    });
    expect(isSameDigest(found?.content ?? '', told.content)).toBe(true);
    expect(isSameDigest(found?.content ?? '', digestOf('other'))).toBe(false);
    expect(index.costs('e', 'm')).toEqual({ usd: 0.5, samples: 1 });
    expect(index.costs('e', 'other')).toEqual({ usd: 0, samples: 0 });
    expect(index.costs('other', 'm')).toEqual({ usd: 0, samples: 0 });
  });

  test('knows a log only as long as it is the same, and forgets those that are gone', () => {
    using index = LogIndex.inMemory();
    index.keepAll([{ log: log(EARLY), samples: [sample('a')] }]);
    index.keepOther(log(LATE), 'other');
    expect(index.known(log(EARLY))).toEqual({ kind: 'indexed' });
    expect(index.known(log(LATE))).toEqual({ kind: 'other', eval: 'other' });
    expect(index.known(log(EARLY, { sizeBytes: 9 }))).toBeUndefined();
    expect(index.known(log(EARLY, { modifiedMs: 9 }))).toBeUndefined();
    index.keepUnreadable(log(LATE), 'it is cut');
    expect(index.known(log(LATE))).toEqual({ kind: 'unreadable', reason: 'it is cut' });
    expect(index.names()).toEqual([EARLY, LATE]);
    index.forget(EARLY);
    expect(index.known(log(EARLY))).toBeUndefined();
    expect([...(index.byKey(digestOf('key a')) ?? [])]).toEqual([]);
  });

  test('whoever looks for another eval does not make it forget what was read meanwhile', () => {
    using index = LogIndex.inMemory();
    index.keepAll([{ log: log(LATE), samples: [sample('a')] }]);
    index.keepOther(log(LATE), 'e');
    expect(index.known(log(LATE))).toEqual({ kind: 'indexed' });
    expect([...index.byKey(digestOf('key a'))]).toHaveLength(1);
    index.keepOther(log(LATE, { sizeBytes: 9 }), 'e');
    expect(index.known(log(LATE, { sizeBytes: 9 }))).toEqual({ kind: 'other', eval: 'e' });
  });

  test('names the latest log of each set of answers, however many logs hold the same', () => {
    using index = LogIndex.inMemory();
    const MIDDLE = EARLY.replace('00-00+', '00-00-5+');
    const holding = (name: string, answers: string | undefined) => ({
      log: log(name),
      samples: [sample('a_epoch_1', { answers }), sample('b_epoch_1', { answers: 'of b' })],
    });
    index.keepAll([holding(EARLY, 'one'), holding(LATE, 'one'), holding(MIDDLE, 'other')]);
    index.keepAll([
      { log: log('2026-01-02_e_a.eval', { eval: 'f' }), samples: [sample('a_epoch_1', { answers: 'f' })] },
    ]);
    const found = index.answersOf('e', { id: 'a', epoch: 1 }).map((one) => [one.log, one.answers, one.runId]);
    expect(found).toEqual([
      [LATE, 'one', `run of ${LATE}`],
      [MIDDLE, 'other', `run of ${MIDDLE}`],
    ]);
    expect(index.answersOf('e', { id: 'c', epoch: 1 })).toEqual([]);
  });

  test('is read as it is by whoever only looks, also where others are at work', () => {
    const path = join(dir.path, 'index.db');
    const index = LogIndex.open(path);
    index.keepAll([{ log: log(LATE), samples: [sample('a')] }]);
    index[Symbol.dispose]();
    const before = readFileSync(path);
    using looking = LogIndex.look(path);
    expect([...looking.byKey(digestOf('key a'))]).toHaveLength(1);
    expect(() => looking.keepOther(log(EARLY), 'e')).toThrow(expect.objectContaining({ errcode: 8 }));
    using copy = LogIndex.copyOf(path);
    copy.keepAll([{ log: log(EARLY), samples: [sample('a')] }]);
    expect([...copy.byKey(digestOf('key a'))]).toHaveLength(2);
    expect(readFileSync(path)).toEqual(before);
    expect(readdirSync(dir.path)).toEqual(['index.db']);
  });

  test('is a cache: one that is damaged is made again, and one that cannot be used at all is done without', async () => {
    const path = join(dir.path, 'index.db');
    await writeFile(path, 'this is no database, and it is long enough to be taken for one'.repeat(20));
    const about = { logs: directoryLogStore(nodeDisk, dir.path), evalName: 'e' };
    for (const place of [path, path, join(dir.path, 'no', 'index.db')]) {
      const { index } = await readyIndex(nodeDisk, place, about);
      index.keepAll([{ log: log(LATE), samples: [sample('a')] }]);
      expect([...index.byKey(digestOf('key a'))]).toHaveLength(1);
      index[Symbol.dispose]();
    }
  });
});

test('a mark is read back as it was written, and what others say in the metadata stays', () => {
  const said = {
    key: digestOf('k'),
    asked: digestOf('a'),
    content: digestOf('c'),
    later: { 'x.ts': digestOf('x') },
    limit: { type: 'token', limit: 5 },
  };
  const metadata = withMark({ topic: 'art', holdfast: { output: 'json' } }, said);
  expect(metadata).toMatchObject({ topic: 'art', holdfast: { output: 'json', key: said.key } });
  expect(readMark(metadata)).toEqual(said);
  expect(readMark(withMark(metadata, { interrupted: true }))).toMatchObject({ isInterrupted: true });
  expect(readMark({ holdfast: { key: 1 } })).toBeUndefined();
  expect(readMark({})).toBeUndefined();
});

describe('limits', () => {
  test.each<[string, Parameters<typeof fitsLimits>[1], boolean]>([
    ['none', {}, true],
    ['wide enough', { tokens: 100, turns: 2, messages: 4, costUsd: 0.5 }, true],
    ['fewer tokens than it used', { tokens: 99 }, false],
    ['fewer turns', { turns: 1 }, false],
    ['fewer messages', { messages: 3 }, false],
    ['less money', { costUsd: 0.4 }, false],
    ['less time: an answer does not depend on it', { timeMs: 1, workingMs: 1 }, true],
  ])('of a sample that met none: %s', (_what, limits, fits) => {
    expect(fitsLimits(USED, limits)).toBe(fits);
  });

  test.each<[string, Parameters<typeof fitsLimits>[1], boolean]>([
    ['the very limit', { tokens: 50 }, true],
    ['a wider one', { tokens: 5_000 }, false],
    ['none', {}, false],
    ['another kind', { turns: 50 }, false],
  ])('of a sample that a limit ended: %s', (_what, limits, fits) => {
    expect(fitsLimits({ ...USED, ended: { type: 'token', limit: 50 } }, limits)).toBe(fits);
    const timed = { ...USED, ended: { type: 'time', limit: 1.5 } };
    expect(fitsLimits(timed, { timeMs: 1_500 })).toBe(true);
    expect(fitsLimits(timed, { timeMs: 2_000 })).toBe(false);
  });

  test('what a sample used stands in its summary', () => {
    const usage = { input_tokens: 1, output_tokens: 2, total_tokens: 3, total_cost: 0.25 };
    const summary = { model_usage: { a: usage, b: usage }, turn_count: 4, message_count: 6 };
    expect(usedBy(summary as never as EvalSampleSummary, undefined)).toEqual({
      tokens: 6,
      turns: 4,
      messages: 6,
      usd: 0.5,
    });
  });
});
