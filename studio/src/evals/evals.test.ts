import { describe, expect, test } from 'vitest';
import type { HistoryPoint, SamplePoint } from '../../../src/server/api.ts';
import { spreadLabels } from '../ui/spread-labels.ts';
import { commitSpans, lanesOf } from './lanes.ts';
import { commitTicks, domainOf, seriesOf, trendTitle } from './trend.ts';

const point = (target: string, value: number | null, more: Partial<HistoryPoint> = {}): HistoryPoint => ({
  run: `${target}-${value}`,
  start: '2026-11-14T00:00:00Z',
  target,
  status: 'success',
  usdPerSample: null,
  score: {
    scorer: 's',
    name: 's',
    metric: 'accuracy',
    value,
    ...(value !== null && { low: value - 0.05, high: value + 0.05 }),
  },
  ...more,
});

describe('the trend', () => {
  test('is one line a target; runs without a score keep their place', () => {
    const { score: _, ...unscored } = point('a', 0.5);
    const series = seriesOf([point('a', 0.5), point('b', 0.6), unscored, point('a', null), point('a', 0.7)]);
    expect(series.map(({ target, points }) => [target, points.map(({ index }) => index)])).toEqual([
      ['a', [0, 4]],
      ['b', [1]],
    ]);
    expect(seriesOf([point('a', Number.NaN)])).toEqual([]);
  });

  test('rates stay between 0 and 1', () => {
    expect(domainOf([])).toEqual([0, 1]);
    const [low, high] = domainOf(seriesOf([point('a', 0.97), point('a', 0.02)]));
    expect(low).toBeLessThan(0);
    expect(high).toBeGreaterThan(1);
    expect(domainOf(seriesOf([point('a', 0.9)]))[1]).toBeLessThanOrEqual(1);
  });

  test('its title says who is ahead, and who left the interval', () => {
    expect(trendTitle([])).toBe('No run has a score yet');
    expect(trendTitle(seriesOf([point('a', 0.5), point('a', 0.52), point('b', 0.4)]))).toBe(
      'a is ahead at 0.520; no target left the interval of its last run',
    );
    expect(trendTitle(seriesOf([point('a', 0.9), point('a', 0.5)]))).toBe(
      'a is at 0.500; a went down by 0.400 in its last run, out of its interval',
    );
  });

  test('commits are named where they begin, as far as there is room; the newest always', () => {
    const points = ['x', 'x', 'y', 'z', 'z', 'w'].map((commit) => point('a', 0.5, { commit }));
    expect(commitTicks(points, 1).map(({ index }) => index)).toEqual([0, 2, 3, 5]);
    expect(commitTicks(points, 3).map(({ commit }) => commit)).toEqual(['y', 'w']);
    expect(commitTicks([point('a', 0.5)], 1)).toEqual([]);
  });
});

describe('labels', () => {
  test('stay where they belong when there is room, and are moved apart when there is not', () => {
    expect(spreadLabels([10, 50, 90], 15, [0, 100])).toEqual([10, 50, 90]);
    expect(spreadLabels([50, 50, 51], 15, [0, 100])).toEqual([50, 65, 80]);
    expect(spreadLabels([95, 96, 97], 15, [0, 100])).toEqual([70, 85, 100]);
    expect(spreadLabels([], 15, [0, 100])).toEqual([]);
  });

  test('keep the order of what they belong to', () => {
    expect(spreadLabels([60, 20, 61], 15, [0, 100])).toEqual([60, 20, 75]);
  });
});

describe('one sample over time', () => {
  const at = (target: string, commit?: string): SamplePoint => ({
    run: `${target} ${commit}`,
    start: '2026-11-14T00:00:00Z',
    target,
    outcome: 'pass',
    epochs: 1,
    usd: null,
    ...(commit !== undefined && { commit }),
  });

  test('has a lane for each target, every result at its place among all', () => {
    const lanes = lanesOf([at('a'), at('b'), at('a')]);
    expect(lanes.map(({ target, points }) => [target, points.map(({ index }) => index)])).toEqual([
      ['a', [0, 2]],
      ['b', [1]],
    ]);
  });

  test('runs at one commit are one stretch', () => {
    expect(commitSpans([at('a', 'x'), at('b', 'x'), at('a'), at('a', 'x')])).toEqual([
      { commit: 'x', from: 0, to: 1 },
      { commit: undefined, from: 2, to: 2 },
      { commit: 'x', from: 3, to: 3 },
    ]);
    expect(commitSpans([])).toEqual([]);
  });
});
