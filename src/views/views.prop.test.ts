import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { RunItem } from '../server/api.ts';
import {
  compileRunQuery,
  compileSampleQuery,
  completeRunQuery,
  completeSampleQuery,
  parseQuery,
  printQuery,
  sortRuns,
} from './index.ts';

const NOW = Date.parse('2026-11-15T12:00:00Z');

/** Text that is likely to mean something. */
const piece = fc.constantFrom(
  ...['eval', 'score', 'metadata', 'cost', 'is', 'since', 'foo', 'and', 'or', 'not', 'AND'],
  ...[':', '=', '!=', '>', '>=', '<', '.', '-', '(', ')', '"', '\\', '*', ' ', '  ', '\n'],
  ...['0.5', '10k', '30d', 'live', 'swe', '""', 'ok', '$', '%', '…', '💥', '\ud800'],
);
const text = fc.oneof(
  fc.array(piece, { maxLength: 20 }).map((parts) => parts.join('')),
  fc.string({ unit: 'binary', maxLength: 40 }),
);

const name = fc.constantFrom('a', 'b', 'swe-lite', 'SWE', 'x y', 'eval', '…', '');
const item: fc.Arbitrary<RunItem> = fc
  .record({
    at: fc.integer({ min: 0, max: 9 }),
    eval: name,
    target: name,
    tags: fc.array(name, { maxLength: 2 }),
    usd: fc.constantFrom(null, 0, 0.5, 10, Number.NaN, Number.POSITIVE_INFINITY),
    score: fc.constantFrom(undefined, null, 0, 0.5, 1, Number.NaN),
    isDamaged: fc.boolean(),
    removed: fc.boolean(),
  })
  .map(({ at, usd, score, isDamaged, removed, ...names }) => {
    const scores = score === undefined ? [] : [{ scorer: 's', name: 's', metric: 'mean', value: score }];
    const facts = {
      ...names,
      status: 'success',
      samples: { total: 3, completed: 3, errored: 0 },
      scores,
      usd,
      start: '',
      end: '',
      durationMs: 5,
    };
    const kept = {
      run: `2026111${at}T120000000-AAAAAAAAAA`,
      form: 'log' as const,
      place: '/p',
      name: 'n',
      removed,
    };
    return isDamaged ? { ...kept, damage: 'gone' } : { ...kept, facts };
  });

test('whatever is typed is read: nothing throws, and what is wrong has a place in the text', () => {
  fc.assert(
    fc.property(text, fc.array(item, { maxLength: 3 }), fc.nat(45), (typed, items, caret) => {
      for (const { wrong, matches } of [compileRunQuery(typed, { nowMs: NOW }), compileSampleQuery(typed)]) {
        expect(matches).toBeTypeOf('function');
        if (!wrong) continue;
        expect(wrong.at).toBeGreaterThanOrEqual(0);
        expect(wrong.at).toBeLessThanOrEqual(typed.length);
        expect(wrong.message).toMatch(/[.?]$/);
      }
      const { matches } = compileRunQuery(typed, { nowMs: NOW });
      for (const one of items) expect(matches(one)).toBeTypeOf('boolean');
      for (const { from, to } of [completeRunQuery(typed, caret), completeSampleQuery(typed, caret)])
        expect(from).toBeLessThanOrEqual(to);
    }),
    { numRuns: 3_000 },
  );
});

/** Operators beside values that look like operators, by hand and as people leave spaces between them. */
const comparison = fc
  .tuple(
    fc.constantFrom('eval', 'cost', 'score.s', 'or', 'metadata."a b"'),
    fc.constantFrom(...[':', '=', '!=', '>', '>=', '<', '<=', ' < ', ' > ', ' = ', '< ', ' !=']),
    fc.constantFrom(
      ...['=', '==', '=a', '>=', '<', '!', '!=', ':', '-', '-a', '~', '*', '=*', '""', '"="', '\\', 'a'],
    ),
  )
  .map((parts) => parts.join(''));
const filter = fc.oneof(
  text,
  fc.array(fc.oneof(comparison, piece), { minLength: 1, maxLength: 6 }).map((parts) => parts.join(' ')),
);

test('a filter that is printed and read again leaves the same runs', () => {
  fc.assert(
    fc.property(filter, fc.array(item, { maxLength: 5 }), (typed, items) => {
      const { query } = parseQuery(typed);
      const printed = printQuery(query);
      const again = parseQuery(printed);
      expect(again.wrong).toBeUndefined();
      expect(printQuery(again.query)).toBe(printed);
      const one = compileRunQuery(typed, { nowMs: NOW });
      const other = compileRunQuery(printed, { nowMs: NOW });
      expect(items.map(other.matches)).toEqual(items.map(one.matches));
    }),
    { numRuns: 3_000 },
  );
});

const sort = fc
  .array(
    fc.constantFrom(
      'cost',
      '-cost',
      'eval',
      '-eval',
      'score',
      '-score.mean',
      'when',
      'nothing',
      'tag',
      '-tag',
    ),
    {
      maxLength: 3,
    },
  )
  .map((keys) => keys.join(','));

test('sorting loses nobody, is stable, and is the same however the runs came', () => {
  fc.assert(
    fc.property(fc.array(item, { maxLength: 12 }), sort, (items, by) => {
      const sorted = sortRuns(items, by);
      expect(new Set(sorted)).toEqual(new Set(items));
      expect(sorted).toHaveLength(items.length);
      // Sorted once more it stays as it is: equals keep their order.
      expect(sortRuns(sorted, by)).toEqual(sorted);
      const known = sorted.map(({ facts }) => facts?.usd ?? Number.NaN);
      if (by === 'cost' || by === '-cost') {
        const firstMissing = known.findIndex(Number.isNaN);
        if (firstMissing >= 0) expect(known.slice(firstMissing).every(Number.isNaN)).toBe(true);
      }
      const values = (list: readonly RunItem[]) =>
        list.map(({ facts }) => [facts?.usd, facts?.eval, facts?.tags[0]]);
      if (by === 'cost,eval,tag') expect(values(sortRuns(items.toReversed(), by))).toEqual(values(sorted));
    }),
    { numRuns: 1_000 },
  );
});
