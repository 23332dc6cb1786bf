import { describe, expect, test } from 'vitest';
import type { ComparedRun, FigureCompared } from '../../../src/server/api.ts';
import { chooseCompared } from '../../../src/views/index.ts';
import { compareColumns, nextSort, sortedBy } from './compare-columns.ts';
import { flipCells, flipsTitle } from './flip-cells.ts';
import { figureText, figureValue, forestRows, forestTitle } from './forest-rows.ts';
import { improvedQuery, QUICK_FILTERS, regressedQuery } from './run-filters.ts';
import { moved, parseRuns, printRuns, swapped, withBase, without, withRun } from './runs-order.ts';
import { sameGrounds, splitAtLetter, splitSaid } from './verdict-words.ts';

describe('the runs of a comparison', () => {
  const runs = ['a', 'b', 'c'];

  test('are read from an address: twice the same is once, and the seventh is left out', () => {
    expect(parseRuns('a,b,,a,c')).toEqual(runs);
    expect(parseRuns('1,2,3,4,5,6,7')).toHaveLength(6);
    expect(parseRuns('')).toEqual([]);
    expect(parseRuns(printRuns(runs))).toEqual(runs);
  });

  test('change their order, and never get lost by it', () => {
    expect(swapped(runs)).toEqual(['b', 'a', 'c']);
    expect(swapped(['a'])).toEqual(['a']);
    expect(withBase(runs, 2)).toEqual(['c', 'a', 'b']);
    expect(withBase(runs, 9)).toEqual(runs);
    expect(moved(runs, 0, 1)).toEqual(['b', 'a', 'c']);
    expect(moved(runs, 0, -1)).toEqual(runs);
    expect(moved(runs, 2, 1)).toEqual(runs);
  });

  test('come and go; the seventh does not come', () => {
    expect(without(runs, 'b')).toEqual(['a', 'c']);
    expect(withRun(runs, 'd')).toEqual(['a', 'b', 'c', 'd']);
    expect(withRun(runs, 'a')).toEqual(runs);
    expect(withRun(['1', '2', '3', '4', '5', '6'], '7')).toHaveLength(6);
  });
});

const FLIPS: ComparedRun['flips'] = {
  bothPass: 331,
  onlyBefore: 22,
  onlyAfter: 44,
  bothFail: 103,
  other: 3,
  notInBefore: 1,
  notInAfter: 2,
};

const wrongOf = (q: string) => chooseCompared([], { q, sort: '' }).wrong;

describe('the flips picture', () => {
  test('every cell has a filter that the language understands, and no sample is in two of them', () => {
    const outcomes = ['pass', 'fail', 'partial', 'error', 'missing'] as const;
    const queries = Object.values(flipCells(FLIPS, 2)).map(({ query }) => query);
    expect(queries.map(wrongOf)).toEqual(queries.map(() => undefined));
    for (const before of outcomes)
      for (const after of outcomes) {
        const cell = (outcome: (typeof outcomes)[number]) => ({ outcome, epochs: 1, usd: null });
        const sample = {
          id: 's',
          input: '',
          cells: [cell(before), cell('pass'), cell(after)],
          is: 'same' as const,
        };
        const isNowhere = before === 'missing' && after === 'missing';
        const matching = queries.filter((q) => chooseCompared([sample], { q, sort: '' }).chosen.length > 0);
        expect(matching).toHaveLength(isNowhere ? 0 : 1);
      }
  });

  test('says what flipped', () => {
    expect(flipsTitle(FLIPS, 1)).toBe('B passes 44 that A fails, and fails 22 that A passes');
    expect(flipsTitle({ ...FLIPS, onlyBefore: 0 }, 2)).toBe('C passes 44 that A fails, and loses none');
    expect(flipsTitle({ ...FLIPS, onlyAfter: 0 }, 1)).toBe('B fails 22 that A passes, and gains none');
    const none = { ...FLIPS, onlyAfter: 0, onlyBefore: 0 };
    expect(flipsTitle(none, 1)).toBe('No sample flips between A and B');
    expect(flipsTitle(none, 1, { improved: 5, regressed: 3 })).toBe(
      'No sample flips in all its epochs; 5 results are better in B, 3 worse',
    );
  });

  test('filters of buttons are understood, too', () => {
    const queries = [...QUICK_FILTERS.map(({ query }) => query), improvedQuery(1), regressedQuery(5)];
    expect(queries.map(wrongOf)).toEqual(queries.map(() => undefined));
  });
});

const figure = (given: Partial<FigureCompared>): FigureCompared => ({
  figure: 'accuracy',
  group: 'score',
  kind: 'pass/fail',
  betterWhen: 'higher',
  verdict: 'cannot tell',
  before: 0.7,
  after: 0.744,
  difference: 0.044,
  p: 0.2,
  test: 'McNemar',
  pairs: 500,
  improved: 44,
  regressed: 22,
  leftOut: { errored: 0, unscored: 0 },
  ...given,
});

describe('the forest plot', () => {
  test('to the right is better, whichever way a figure goes', () => {
    const [score, cost] = forestRows([
      figure({ low: 0.012, high: 0.076 }),
      figure({
        figure: 'cost',
        group: 'spent',
        kind: 'number',
        betterWhen: 'lower',
        before: 0.1,
        difference: 0.03,
        low: 0.02,
        high: 0.04,
      }),
    ]);
    expect(score).toMatchObject({ at: 0.5789, from: 0.1579, to: 1, difference: '+0.044' });
    expect(cost).toMatchObject({ at: -0.75, from: -1, to: -0.5, difference: '+$0.03' });
  });

  test('rates share a scale; a figure without an interval has only its dot', () => {
    const [large, small] = forestRows([
      figure({ difference: 0.4 }),
      figure({ figure: 'other', difference: 0.1 }),
    ]);
    expect([large?.at, small?.at, small?.from]).toEqual([1, 0.25, undefined]);
    expect(forestRows([figure({ difference: 0 })])[0]?.at).toBe(0);
    expect(forestRows([figure({ difference: Number.NaN })])[0]?.at).toBeNaN();
  });

  test('each figure is told in its own unit, with its own sign', () => {
    const time = figure({ figure: 'time', group: 'spent' });
    expect([figureText(time, -26.7), figureValue(time, 128.1)]).toEqual(['−26.7 s', '2m 08s']);
    const tokens = figure({ figure: 'tokens', group: 'spent' });
    expect([figureText(tokens, 1_500), figureValue(tokens, null)]).toEqual(['+1.5k', '–']);
    expect(figureValue(figure({}), 0.744)).toBe('0.744');
    // What rounds to nothing goes neither way.
    expect([figureText(time, -0.0001), figureText(tokens, 0)]).toEqual(['0 ms', '0']);
  });

  test('its title says what is certain', () => {
    expect(forestTitle([figure({})], 1)).toBe('No figure of B is certain to differ');
    expect(
      forestTitle([figure({ verdict: 'better' }), figure({ figure: 'cost', verdict: 'worse' })], 2),
    ).toBe('C is better: accuracy · worse: cost');
  });
});

describe('the verdict', () => {
  test('its sentence is parted into what is said and what it rests on', () => {
    expect(splitSaid('B is better on exact: +0.044 [+0.012, +0.076], p = .008.')).toEqual({
      headline: 'B is better on exact',
      rest: '+0.044 [+0.012, +0.076], p = .008',
    });
    expect(splitSaid('B cannot be read.')).toEqual({ headline: 'B cannot be read.', rest: '' });
  });

  test('the letter of the run stands for itself', () => {
    expect(splitAtLetter('B is better', 'B')).toEqual([undefined, ' is better']);
    expect(splitAtLetter('Cannot tell whether C is better', 'C')).toEqual([
      'Cannot tell whether ',
      undefined,
      ' is better',
    ]);
    expect(splitAtLetter('nothing', 'D')).toEqual(['nothing']);
  });

  test('what stands in the way of a comparison is not called the same', () => {
    const change = (what: string, isWarning: boolean) => ({ what, said: `${what} differs`, isWarning });
    expect(sameGrounds([], [])).toEqual(['same dataset', 'same scorer']);
    expect(sameGrounds([change('dataset', true)], [])).toEqual(['same scorer']);
    expect(sameGrounds([change('model', false)], [])).toEqual(['same dataset', 'same scorer']);
    expect(sameGrounds([], ['the dataset differs: 3 samples'])).toEqual(['same scorer']);
  });
});

describe('the columns of the table', () => {
  test('what is least needed falls away first; runs never do before cost and time', () => {
    const idsAt = (width: number) => compareColumns(3, 1, width).map(({ id }) => id);
    expect(idsAt(2_000)).toEqual([
      'is',
      'sample',
      'run-0',
      'run-1',
      'run-2',
      'difference',
      'cost',
      'turns',
      'time',
    ]);
    expect(compareColumns(6, 1, 977).filter(({ kind }) => kind === 'run')).toHaveLength(6);
    expect(idsAt(760)).toEqual(['is', 'sample', 'run-0', 'run-1', 'run-2', 'difference', 'cost']);
  });

  test('a sort goes up, down, and away', () => {
    const [is] = compareColumns(2, 1, 900);
    if (is === undefined) throw new Error('There is no column');
    const sorts = ['', 'is', '-is'].map((sort) => nextSort(is, sort));
    expect(sorts).toEqual(['is', '-is', '']);
    expect(['is', '-is', 'id'].map((sort) => sortedBy(is, sort))).toEqual(['up', 'down', undefined]);
  });
});
