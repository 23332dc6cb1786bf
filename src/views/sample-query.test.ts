import { describe, expect, test } from 'vitest';
import type { ComparedSample, SampleEpoch, SampleItem } from '../server/api.ts';
import { compileComparedQuery } from './compared-query.ts';
import {
  type CompiledQuery,
  compileSampleQuery,
  costOf,
  durationOf,
  flipsOf,
  meanScore,
  outcomeOf,
  sortSamples,
  tokensOf,
  turnsOf,
} from './index.ts';
import { sortCompared } from './sort-views.ts';

const EPOCH: SampleEpoch = {
  epoch: 1,
  outcome: 'pass',
  scores: { match: { value: 'C', number: 1, answer: 'Paris' }, grade: { value: 'good' } },
  usd: 0.1,
  tokens: 600,
  turns: 3,
  durationMs: 40_000,
};

const FLAKY: SampleItem = {
  id: 'django-11099',
  number: 1,
  input: 'What is the capital of France?',
  target: 'Paris, the city',
  metadata: { level: 'hard', year: 2021, topics: ['geo', 'eu'], 'a.b': 1, deep: { er: 'x' } },
  epochs: [
    EPOCH,
    {
      ...EPOCH,
      epoch: 2,
      outcome: 'fail',
      scores: { match: { value: 'I', number: 0, answer: 'Lyon' } },
      error: 'TypeError: x',
      limit: 'token',
      retries: 2,
      turns: 42,
      made: 'replayed',
    },
  ],
  passed: 1,
  verdicts: [{ id: 'n', run: 'r', kind: 'verdict', by: 'ada', time: 't', verdict: 'fail' }],
};
const PASSED: SampleItem = { ...FLAKY, id: 2, number: 2, epochs: [EPOCH], verdicts: [] };

describe('a filter of samples', () => {
  test.each([
    'id:django-*',
    'score:partial',
    'score<0.6',
    'score:0.5',
    'score.match:fail',
    'score.match<=0.5',
    'score.GRADE:good',
    'outcome:fail',
    'error:typeerror',
    'error:*',
    'limit:token',
    'metadata.level:hard',
    'metadata.year>2020',
    'metadata.topics:geo',
    'metadata."a.b":1',
    'metadata.deep.er:x',
    'metadata:hard',
    'metadata.nothing:""',
    'cost>0.15',
    'tokens:1200',
    'turns>40',
    'time>30s',
    'retries>0',
    'epoch:2',
    'epochs:2',
    'flips:yes',
    'flips>0',
    'made:replayed',
    'verdict:fail',
    'is:failing',
    'is:flaky',
    'is:limit',
    'is:retried',
    'is:judged',
    'capital france',
    'lyon',
    '"the city"',
    'answer:lyon',
  ])('%s leaves one that passed once and failed once, and not one that only passed', (q) => {
    const { matches, wrong } = compileSampleQuery(q);
    expect(wrong).toBeUndefined();
    expect(matches(FLAKY)).toBe(true);
    const isOfBoth = /metadata|capital|the city|time|GRADE/.test(q);
    expect(matches(PASSED)).toBe(isOfBoth);
  });

  test.each(['score:pass', 'is:passing', 'score:1', '-is:failing', 'flips:no', 'turns<10'])(
    '%s leaves only the one that passed',
    (q) => {
      const { matches }: CompiledQuery<SampleItem> = compileSampleQuery(q, { score: 'match' });
      expect([matches(FLAKY), matches(PASSED)]).toEqual([false, true]);
    },
  );

  test.each([
    ['score>good', 6],
    ['metadata.year>late', 14],
    ['is:nothing', 3],
    ['flips:maybe', 6],
    ['epoch:last', 6],
    ['nothing:1', 0],
  ])('%s is wrong, and told with its place', (q, at) => {
    expect(compileSampleQuery(q).wrong?.at).toBe(at);
  });

  test('figures are told over all epochs', () => {
    expect(outcomeOf(FLAKY)).toBe('partial');
    expect(outcomeOf(PASSED)).toBe('pass');
    expect(outcomeOf({ epochs: [] })).toBe('missing');
    expect(flipsOf(FLAKY)).toBe(1);
    expect([costOf(FLAKY), tokensOf(FLAKY), turnsOf(FLAKY), durationOf(FLAKY)]).toEqual([
      0.2, 1200, 42, 40_000,
    ]);
    expect(meanScore(FLAKY, undefined)).toBe(0.5);
    expect(meanScore(FLAKY, 'nothing')).toBeUndefined();
  });

  test('samples stay in their own order unless something is said', () => {
    const both = [PASSED, FLAKY];
    const ids = (sort: string) => sortSamples(both, sort).map(({ number }) => number);
    expect(sortSamples(both, '')).toBe(both);
    expect(ids('number')).toEqual([1, 2]);
    expect(ids('-score')).toEqual([2, 1]);
    expect(ids('-retries')).toEqual([1, 2]);
    expect(ids('outcome')).toEqual([1, 2]);
    expect(ids('metadata.level,-number')).toEqual([2, 1]);
    expect(ids('score.match')).toEqual([1, 2]);
  });
});

describe('a filter of a comparison', () => {
  const cell = { outcome: 'pass', epochs: 1, usd: 0.1, turns: 10 } as const;
  const worse: ComparedSample = {
    id: 'a',
    input: 'one',
    cells: [cell, { ...cell, outcome: 'fail', usd: 0.3, turns: 41 }],
    is: 'regressed',
    difference: -1,
  };
  const same: ComparedSample = { id: 'b', input: 'two', cells: [cell, cell], is: 'same', difference: 0 };

  test.each([
    'is:regressed',
    'flips:yes',
    'flips:down',
    'difference<0',
    'cost>0.2',
    'turns>40',
    'after:fail',
    'outcome:fail',
    'one',
    '-is:same',
    'is:flipped before:pass',
  ])('%s leaves what is worse now', (q) => {
    const { matches, wrong } = compileComparedQuery(q);
    expect(wrong).toBeUndefined();
    expect([matches(worse), matches(same)]).toEqual([true, false]);
  });

  test('what changed comes first unless something is said', () => {
    expect(sortCompared([same, worse], '').map(({ id }) => id)).toEqual(['a', 'b']);
    expect(sortCompared([worse, same], '-difference').map(({ id }) => id)).toEqual(['b', 'a']);
    expect(sortCompared([same, worse], '-cost').map(({ id }) => id)).toEqual(['a', 'b']);
  });
});
