import { describe, expect, test } from 'vitest';
import type { RunFacts, RunItem } from '../../../src/server/api.ts';
import { nextSort, sortedBy } from '../ui/list-columns.ts';
import { hasTerm, termsOf, toggleTerm, withoutTerm } from '../ui/query-terms.ts';
import { progressOf, type Seen, withSeen } from '../ui/run-progress.ts';
import { choosableColumns, columnsNamed } from './columns.ts';
import { isOfTime } from './terms.ts';

function factsWith(changed: Partial<RunFacts>): RunFacts {
  return {
    eval: 'capitals',
    target: 'gpt',
    tags: [],
    status: 'success',
    samples: { total: 10, completed: 10, errored: 0 },
    scores: [],
    usd: null,
    start: '2026-11-17T12:00:00Z',
    end: '2026-11-17T12:01:00Z',
    durationMs: 60_000,
    ...changed,
  };
}

describe('columns', () => {
  const cost = columnsNamed(['cost'])[0];
  const name = columnsNamed(['eval'])[0];

  test('what is named is shown in its order; nothing named, or nothing known, is as usual', () => {
    expect(columnsNamed(['cost', 'eval']).map(({ id }) => id)).toEqual(['cost', 'eval']);
    expect(columnsNamed(['nonsense'])).toEqual(columnsNamed([]));
    expect(columnsNamed([]).map(({ id }) => id)).toContain('score');
  });

  test('a score has a column of its own by its name', () => {
    expect(columnsNamed(['score.queue.accuracy'])[0]).toMatchObject({
      label: 'queue.accuracy',
      sort: 'score.queue.accuracy',
    });
    const scores = [{ scorer: 'queue', name: 'queue', metric: 'accuracy', value: 1 }];
    const run: RunItem = {
      run: 'x',
      form: 'log',
      place: '.',
      name: 'x.eval',
      facts: factsWith({ scores }),
    };
    expect(choosableColumns([run, undefined]).map(({ id }) => id)).toContain('score.queue.accuracy');
  });

  test('clicks on a head sort one way, the other, and not at all', () => {
    if (cost === undefined || name === undefined) throw new Error('no columns');
    expect(nextSort(cost, '')).toBe('-cost');
    expect(nextSort(cost, '-cost')).toBe('cost');
    expect(nextSort(cost, 'cost')).toBe('');
    expect(nextSort(name, '-cost')).toBe('eval');
    expect(sortedBy(cost, '-cost,eval')).toBe('down');
    expect(sortedBy(name, 'eval')).toBe('up');
    expect(sortedBy(name, '-cost,eval')).toBe(undefined);
  });
});

describe('parts of a filter', () => {
  test('quotes and brackets keep theirs together', () => {
    expect(termsOf('eval:swe* "two words" target:"a b" (status:ok or cost>5) -tag:old')).toEqual([
      'eval:swe*',
      '"two words"',
      'target:"a b"',
      '(status:ok or cost>5)',
      '-tag:old',
    ]);
    expect(termsOf('')).toEqual([]);
    expect(termsOf('"never closed')).toEqual(['"never closed']);
  });

  test('one is switched on and off', () => {
    expect(toggleTerm('eval:x', 'status:error')).toBe('eval:x status:error');
    expect(toggleTerm('eval:x status:error', 'status:error')).toBe('eval:x');
    expect(withoutTerm('a  b a', 'a')).toBe('b');
    expect(hasTerm('status:errors', 'status:error')).toBe(false);
  });

  test('those about time are known', () => {
    expect(['since:30d', '-before:2026-01-01', 'eval:since'].map(isOfTime)).toEqual([true, true, false]);
  });
});

describe('progress of a run', () => {
  const nowMs = Date.parse('2026-11-17T12:10:00Z');

  test('what errored is done, too, and the rest takes as long as it took so far', () => {
    const facts = factsWith({ samples: { total: 30, completed: 8, errored: 2 } });
    expect(progressOf(facts, nowMs)).toEqual({ done: 10, total: 30, share: 1 / 3, leftMs: 20 * 60_000 });
  });

  test('the last samples decide what the rest takes, once some were seen to end', () => {
    const at = (seconds: number, done: number) => ({ ms: nowMs + seconds * 1_000, done });
    const facts = factsWith({ samples: { total: 30, completed: 10, errored: 0 } });
    const seen = [at(-20, 6), at(-10, 8), at(0, 10)].reduce<readonly Seen[]>(withSeen, []);
    expect(progressOf(facts, nowMs, seen).leftMs).toBe(20 * 5_000);
    // While nothing ends it takes longer and longer.
    expect(progressOf(facts, nowMs + 20_000, seen).leftMs).toBe(20 * 10_000);
    expect(progressOf(facts, nowMs, [at(-1, 9)]).leftMs).toBe(20 * 60_000);
  });

  test('what is long past is forgotten, and so is what was before a run began anew', () => {
    const at = (seconds: number, done: number) => ({ ms: nowMs + seconds * 1_000, done });
    const many = Array.from({ length: 500 }, (_, n) => at(n, n)).reduce<readonly Seen[]>(withSeen, []);
    expect(many.length).toBeLessThanOrEqual(21);
    const slow = [at(0, 1), at(1_000, 2), at(2_000, 3)].reduce<readonly Seen[]>(withSeen, []);
    expect(slow).toEqual([at(1_000, 2), at(2_000, 3)]);
    expect(withSeen([at(0, 9)], at(1, 2))).toEqual([at(1, 2)]);
    expect(withSeen(many, at(600, 499))).toBe(many);
  });

  test('without a pace nothing is foretold', () => {
    const begun = factsWith({ samples: { total: 30, completed: 0, errored: 0 } });
    expect(progressOf(begun, nowMs)).toMatchObject({ share: 0, leftMs: undefined });
    const empty = factsWith({ samples: { total: 0, completed: 0, errored: 0 } });
    expect(progressOf(empty, nowMs)).toMatchObject({ share: 0, leftMs: undefined });
  });
});
