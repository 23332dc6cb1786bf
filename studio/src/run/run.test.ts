import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { RunSession, SampleItem } from '../../../src/server/api.ts';
import { nextSort, sortedBy } from '../ui/sorting.ts';
import { costSteps } from './cost/waterfall.ts';
import { scoreAxis } from './overview/score-axis.ts';
import { binned, rangeOf } from './overview/score-bins.ts';
import { sessionsSaid } from './overview/sessions-said.ts';
import { tabOf } from './run-search.ts';
import { decidingEpoch } from './samples/deciding-epoch.ts';
import { FoldedRows } from './samples/folded-rows.ts';
import { choosableColumns, columnsNamed } from './samples/sample-columns.ts';
import { activeAt, dotRadius, endingRows, nearestEnding, stepPath } from './timeline/timeline-layout.ts';

describe('rows of the table', () => {
  test('are the samples, and below those that are unfolded their epochs', () => {
    const unfolded = fc.uniqueArray(
      fc.record({ sample: fc.nat(40), epochs: fc.integer({ min: 1, max: 6 }) }),
      { selector: ({ sample }) => sample },
    );
    fc.assert(
      fc.property(fc.nat(40), unfolded, (samples, open) => {
        const sorted = open.sort((a, b) => a.sample - b.sample);
        const rows = new FoldedRows(samples, sorted);
        const plain = Array.from({ length: samples }, (_, sample) => [
          { sample, epoch: undefined },
          ...Array.from({ length: sorted.find((one) => one.sample === sample)?.epochs ?? 0 }, (_, epoch) => ({
            sample,
            epoch,
          })),
        ]).flat();
        expect(rows.count).toBe(plain.length);
        expect(plain.map((_, row) => rows.at(row))).toEqual(plain);
        for (const [row, { sample, epoch }] of plain.entries())
          if (epoch === undefined) expect(rows.rowOf(sample)).toBe(row);
      }),
    );
  });

  test('the epoch that failed is opened', () => {
    const epochs = (...outcomes: readonly SampleItem['epochs'][number]['outcome'][]) => ({
      id: 'a',
      number: 1,
      input: '',
      target: '',
      metadata: {},
      epochs: outcomes.map((outcome, at) => ({ epoch: at + 1, outcome, scores: {}, usd: null, tokens: 0 })),
    });
    expect(decidingEpoch(epochs('pass', 'fail', 'fail'))).toBe(2);
    expect(decidingEpoch(epochs('pass', 'pass'))).toBe(1);
  });

  test('columns are the usual until others are chosen, and unknown ones are left out', () => {
    const known = { scores: ['tests', 'rubric'], metadataKeys: ['level'] };
    const names = (chosen: readonly string[], isEpochs = false) =>
      columnsNamed(chosen, known, isEpochs).map(({ id }) => id);
    expect(names([])).toContain('score.rubric');
    expect(names([]).includes('epochs')).toBe(false);
    expect(names([], true)).toContain('epochs');
    expect(names(['id', 'metadata.level', 'nonsense', 'score.'])).toEqual(['id', 'metadata.level']);
    expect(names(['nonsense'])).toEqual(names([]));
    expect(choosableColumns(known).map(({ id }) => id)).toContain('metadata.level');
  });

  test('a head sorts one way, the other, not at all', () => {
    const column = { sort: 'cost', isFalling: true };
    expect([nextSort(column, ''), nextSort(column, '-cost'), nextSort(column, 'cost')]).toEqual([
      '-cost',
      'cost',
      '',
    ]);
    expect([sortedBy(column, '-cost'), sortedBy(column, 'cost,id'), sortedBy(column, 'id')]).toEqual([
      'down',
      'up',
      undefined,
    ]);
    expect(nextSort({}, 'id')).toBe('id');
  });
});

describe('how a run went', () => {
  const session = (ended: RunSession['ended'], said = ''): RunSession => ({ start: '', ended, said });

  test('sessions and crashes in a few words', () => {
    expect(sessionsSaid([session('finished')])).toBe('');
    expect(sessionsSaid([session('died', 'died at 14:02, 112 kept, $0 lost'), session('finished')])).toBe(
      '2 sessions, 1 crash recovered, $0 lost',
    );
    expect(sessionsSaid([session('died', '$0 lost'), session('died', '$1.20 lost')])).toBe(
      '2 sessions, 2 crashes, $1.20 lost',
    );
    expect(sessionsSaid([session('stopped'), session('finished')])).toBe('2 sessions');
  });

  test('the bars of the cost add up, and unknown money has none', () => {
    const cost = { usd: 10, savedUsd: 4, wastedUsd: 1, perSolvedUsd: null, models: [] };
    expect(costSteps(cost).map(({ name, from, to }) => [name, to - from])).toEqual([
      ['without reuse', 14],
      ['saved', 4],
      ['spent', 10],
      ['wasted', 1],
      ['for results', 9],
    ]);
    expect(costSteps({ ...cost, savedUsd: null, wastedUsd: null }).map(({ name }) => name)).toEqual([
      'spent',
    ]);
    expect(costSteps({ ...cost, usd: null })).toEqual([]);
  });

  test('scores between 0 and 1 stand on one axis, others on their own', () => {
    const score = (value: number) => ({ scorer: 's', name: 'n', metric: 'm', value });
    expect(scoreAxis(score(0.4), [])).toEqual([0, 1]);
    const [low, high] = scoreAxis(score(12), [score(12)]);
    expect([low, high >= 12]).toEqual([0, true]);
  });

  test('every value is in a bin', () => {
    const values = fc.array(fc.double({ min: -50, max: 50, noNaN: true }), { minLength: 1 });
    fc.assert(
      fc.property(values, (all) => {
        const bins = binned(all, rangeOf(all));
        expect(bins.length).toBe(20);
        expect(bins.reduce((sum, count) => sum + count, 0)).toBe(all.length);
      }),
    );
  });

  test('an address without a known tab shows the samples', () => {
    expect([tabOf(undefined), tabOf('cost'), tabOf('nonsense')]).toEqual(['samples', 'cost', 'samples']);
  });
});

describe('the timeline', () => {
  const sample = (to: number, outcome: 'pass' | 'fail' | 'running') => ({
    id: to,
    epoch: 1,
    from: 0,
    to,
    outcome,
  });

  test('has a row for each outcome, in order of time; what runs has not ended', () => {
    const rows = endingRows([sample(9, 'fail'), sample(5, 'pass'), sample(2, 'pass'), sample(7, 'running')]);
    expect(rows.map(({ outcome, endings }) => [outcome, endings.map(({ to }) => to)])).toEqual([
      ['pass', [2, 5]],
      ['fail', [9]],
    ]);
    expect(nearestEnding(rows[0]?.endings ?? [], 4)?.to).toBe(5);
    expect(nearestEnding([], 4)).toBeUndefined();
  });

  test('knows how many were under way at any time', () => {
    const active: [number, number][] = [
      [0, 1],
      [10, 3],
      [20, 0],
    ];
    expect([-1, 0, 9, 10, 19, 25].map((ms) => activeAt(active, ms))).toEqual([0, 1, 1, 3, 3, 0]);
    const path = stepPath(active, { x: (ms) => ms, y: (count) => 10 - count, endMs: 30 });
    expect(path).toBe('M0,10H0V9H10V7H20V10H30V10Z');
    expect(stepPath([], { x: Number, y: Number, endMs: 1 })).toBe('');
  });

  test('dots are smaller where there are many', () => {
    expect([10, 400, 5_000].map(dotRadius)).toEqual([3.5, 2.2, 1.5]);
  });
});
