import { describe, expect, test } from 'vitest';
import type { RunFacts, RunItem } from '../server/api.ts';
import { compileRunQuery, parseRunSort, sortRuns } from './index.ts';

const NOW = Date.parse('2026-11-15T12:00:00Z');

const FACTS: RunFacts = {
  eval: 'swe-lite',
  target: 'openai/gpt-5',
  tags: ['ci', 'nightly build'],
  status: 'success',
  samples: { total: 500, completed: 495, errored: 5, passed: 367 },
  scores: [
    { scorer: 'match', name: 'match', metric: 'accuracy', value: 0.734, low: 0.7, high: 0.76 },
    { scorer: 'rubric', name: 'rubric', metric: 'mean', value: 0.2 },
  ],
  tokens: { input: 10, output: 5, total: 15_000 },
  usd: 41.2,
  start: '2026-11-14T12:00:00Z',
  end: '2026-11-14T13:04:00Z',
  durationMs: 3_840_000,
  code: { commit: '3f2a1c9', branch: 'main', isDirty: true },
  by: { user: 'ada', host: 'ci-1' },
};

const ITEM: RunItem = {
  run: '20261114T120000000-AAAAAAAAAA',
  form: 'published',
  place: '/repo#holdfast/results',
  name: 'a.eval',
  facts: FACTS,
};
const DAMAGED: RunItem = {
  run: '20261101T000000000-BBBBBBBBBB',
  form: 'log',
  place: '/logs',
  name: 'torn.eval',
  damage: 'it is cut off',
};

const matches = (q: string, item: RunItem = ITEM) => compileRunQuery(q, { nowMs: NOW }).matches(item);

describe('a filter of runs', () => {
  test.each([
    'eval:swe*',
    'eval:SWE-LITE',
    'eval=swe-lite',
    'eval:*lite',
    'target:*/gpt*',
    'target:gpt-5',
    'target=gpt-5',
    'target:gpt*',
    'target:*gpt*',
    'status:ok',
    'status:success',
    'tag:ci',
    'tag:"nightly build"',
    'tag:night*',
    'since:2d',
    'since:2026-11-14',
    'before:2026-11-15',
    'score>0.7',
    'score>70%',
    'score.accuracy>0.5',
    'score.match.accuracy<=0.734',
    'score.rubric:0.2',
    'cost>$41',
    'cost<100',
    'time>1h',
    'time<1h30m',
    'samples:500',
    'errors>=1%',
    'errors:5',
    'passed>50%',
    'tokens>10k',
    'commit:3f2',
    'branch:main',
    'by:ada host:ci*',
    'form:published',
    'place:holdfast',
    'is:dirty',
    'lite gpt',
    '"nightly build"',
    'AAAAAAAAAA',
    '-tag:x',
    'not (eval:a or eval:b)',
    'eval!=a',
    'experiment:""',
    'cost:*',
    'experiment!=*',
    'eval:a or target:open*',
  ])('%s leaves the run', (q) => {
    expect(compileRunQuery(q, { nowMs: NOW }).wrong).toBeUndefined();
    expect(matches(q)).toBe(true);
  });

  test.each([
    'eval:swe',
    'target:gpt',
    'target:openai',
    '-target:gpt-5',
    'eval=SWE-lite',
    'status:error',
    'tag:nightly',
    'since:1h',
    'before:2026-11-14',
    'score>0.8',
    'score.nothing>0',
    'score.rubric>0.5',
    'cost>50',
    'time<1h',
    'errors>10%',
    'commit:f2a',
    'is:live',
    'is:damaged',
    'is:removed',
    'mini',
    '-tag:ci',
    'cost!=*',
  ])('%s leaves it out', (q) => {
    expect(compileRunQuery(q, { nowMs: NOW }).wrong).toBeUndefined();
    expect(matches(q)).toBe(false);
  });

  test('a run that cannot be read is left as long as nothing is asked that only its row could say', () => {
    for (const q of ['', 'is:damaged', 'since:2026-11-01', 'torn', '-eval:a', 'place:torn'])
      expect(matches(q, DAMAGED), q).toBe(true);
    for (const q of ['eval:*', 'cost>0', 'cost<1', 'status:ok', 'since:1d'])
      expect(matches(q, DAMAGED), q).toBe(false);
  });

  test('a run that was removed is hidden unless that is asked for', () => {
    const removed = { ...ITEM, removed: true };
    expect(matches('', removed)).toBe(false);
    expect(matches('eval:swe*', removed)).toBe(false);
    expect(matches('is:removed', removed)).toBe(true);
    expect(matches('eval:swe* (is:removed or -is:removed)', removed)).toBe(true);
    expect(compileRunQuery('-is:removed', { nowMs: NOW }).asksForRemoved).toBe(true);
  });

  test('in quotes a star is a star, and elsewhere it stands for anything', () => {
    const starred = { ...ITEM, facts: { ...FACTS, eval: 'a*b' } };
    expect([
      matches('eval:"a*b"', starred),
      matches('eval:"a*"', starred),
      matches('eval:a*', starred),
    ]).toEqual([true, false, true]);
    expect([matches('"*"', starred), matches('"*"'), matches('s*e')]).toEqual([true, false, true]);
  });

  test('a run that began at that very moment is since then, and not before', () => {
    expect([matches('since:2026-11-14T12:00Z'), matches('before:2026-11-14T12:00Z')]).toEqual([true, false]);
  });

  test('a name that was cut in its row is found by its whole', () => {
    const cut = { ...ITEM, facts: { ...FACTS, eval: 'a-very-long-na…' } };
    expect(matches('eval:a-very-long-name', cut)).toBe(true);
    expect(matches('eval:a-very-short-name', cut)).toBe(false);
  });

  test.each([
    ['foo:bar', 0, 'no field "foo"'],
    ['evl:a', 0, 'no field "evl"'],
    ['a cost>cheap', 7, 'is no value of cost'],
    ['since:yesterday', 6, 'is no moment'],
    ['since>3d', 6, 'Write "since:"'],
    ['is:big', 3, 'takes one of these: live, damaged'],
    ['eval>3', 5, 'is text'],
    ['eval.x:3', 0, 'nothing can follow'],
    ['time>soon', 5, '30s, 5m or 1h30m'],
  ])('%s: one sentence with its place; the rest holds', (q, at, message) => {
    const { wrong } = compileRunQuery(q, { nowMs: NOW });
    expect(wrong).toEqual({ at, message: expect.stringContaining(message) });
    expect(matches(`eval:swe* ${q}`.replace(' a ', ' '))).toBe(true);
    expect(matches(`eval:b ${q}`)).toBe(false);
  });
});

describe('the order of runs', () => {
  const item = (id: string, facts: Partial<RunFacts> | undefined): RunItem => ({
    ...ITEM,
    run: `2026111${id}T120000000-AAAAAAAAAA`,
    ...(facts === undefined ? { facts: undefined, damage: 'gone' } : { facts: { ...FACTS, ...facts } }),
  });
  const items = [
    item('1', { usd: 2, eval: 'b' }),
    item('2', undefined),
    item('3', { usd: null, eval: 'a' }),
    item('4', { usd: 10, eval: 'B' }),
    item('5', { usd: 2, eval: 'a10' }),
    item('6', { usd: 2, eval: 'a9' }),
  ];
  const order = (sort: string) =>
    sortRuns(items, sort)
      .map(({ run }) => run[7])
      .join('');

  test('newest first unless something is said', () => {
    expect(order('')).toBe('654321');
    const newest = sortRuns(items, '');
    expect(sortRuns(newest, '')).toBe(newest);
  });

  test('what has no value comes last in both directions, and equals stay as they were', () => {
    expect(order('cost')).toBe('156423');
    expect(order('-cost')).toBe('415623');
  });

  test('several keys; names as people order them', () => {
    expect(sortRuns(items, 'eval').map(({ facts }) => facts?.eval)).toEqual([
      'a',
      'a9',
      'a10',
      'B',
      'b',
      undefined,
    ]);
    expect(order('-cost,-eval')).toBe('415632');
    expect(order('when')).toBe('123456');
  });

  test('what is no key is told with its place, and the others hold', () => {
    expect(parseRunSort('cost,-nothing').wrong).toEqual({
      at: 5,
      message: expect.stringContaining('"-nothing"'),
    });
    expect(order('cost,-nothing')).toBe(order('cost'));
    expect(order('-score.rubric,cost')).toBe('156432');
  });
});
