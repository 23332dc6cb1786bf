import { describe, expect, test } from 'vitest';
import type { RunTimeline } from '../../../../src/server/api.ts';
import { GAP_WIDTH, gapsOf, timeScale, timeTicks } from './time-scale.ts';
import { lanesOf, layOut } from './timeline-lanes.ts';
import { activeColumns, activePath, endingsOf, markPlaces } from './timeline-marks.ts';
import { idleShare, timelineSaid, timelineTable } from './timeline-words.ts';
import { tokenColumns } from './token-columns.ts';

const sample = (id: string, to: number, outcome: RunTimeline['samples'][number]['outcome'] = 'pass') => ({
  id,
  epoch: 1,
  from: 0,
  to,
  outcome,
});
const startMs = Date.UTC(2026, 10, 17, 9);

describe('the axis of time', () => {
  test('is straight', () => {
    const { x } = timeScale({ lengthMs: 100, cuts: [], left: 10, right: 110 });
    expect([0, 50, 100].map(x)).toEqual([10, 60, 110]);
  });

  test('a pause that is left out is as wide as every other, and the rest gets its room', () => {
    const { x } = timeScale({
      lengthMs: 1_000,
      cuts: [{ from: 100, to: 900 }],
      left: 0,
      right: 200 + GAP_WIDTH,
    });
    expect(x(100)).toBeCloseTo(100);
    expect(x(900)).toBeCloseTo(100 + GAP_WIDTH);
    expect(x(1_000)).toBeCloseTo(200 + GAP_WIDTH);
  });

  test('pauses are between sessions', () => {
    const at = (minute: number) => new Date(startMs + minute * 60_000).toISOString();
    const gaps = gapsOf(
      [
        { start: at(0), end: at(10), ended: 'died', how: 'died', said: '' },
        { start: at(30), end: at(40), ended: 'finished', how: 'finished', said: '' },
      ],
      startMs,
    );
    expect(gaps).toEqual([{ from: 600_000, to: 1_800_000 }]);
    expect(idleShare(gaps, 2_400_000)).toBe(0.5);
    expect(gapsOf([{ start: at(0), ended: 'running', how: 'running', said: '' }], startMs)).toEqual([]);
  });

  test('ticks are round moments of the clock, and never too many', () => {
    const ticks = timeTicks({ startMs: startMs + 61_000, lengthMs: 3_600_000, most: 8, aheadMs: 0 });
    expect(ticks[0]).toEqual({ at: 540_000 - 1_000, label: '09:10' });
    for (const lengthMs of [900, 60_000, 7_200_000, 86_400_000 * 90])
      expect(timeTicks({ startMs, lengthMs, most: 8, aheadMs: 0 }).length).toBeLessThanOrEqual(9);
  });
});

describe('marks', () => {
  test('endings that would hide each other are one, and none is lost', () => {
    const samples = [
      sample('a', 10),
      sample('b', 11),
      sample('c', 90),
      sample('d', 10, 'fail'),
      sample('e', 50, 'running'),
    ];
    const endings = endingsOf(samples, (ms) => ms);
    expect(endings.get('pass')?.map((one) => one.samples.length)).toEqual([2, 1]);
    expect(endings.get('fail')).toHaveLength(1);
    expect(endings.has('running')).toBe(false);
  });

  test('waits that lie apart stay apart', () => {
    const waits = [0, 2, 50].map((at) => ({ at, to: at + 5, kind: 'rate limit' as const, said: '' }));
    expect(markPlaces(waits, 'rate limit', (ms) => ms).map(({ marks }) => marks.length)).toEqual([2, 1]);
  });

  test('no pixel has two steps, and the most in it is drawn', () => {
    const columns = activeColumns(
      [
        [0.1, 1],
        [0.2, 9],
        [0.3, 2],
        [40, 0],
      ],
      (ms) => ms,
    );
    expect(columns).toEqual([
      { x: 0, most: 9, last: 2 },
      { x: 40, most: 0, last: 0 },
    ]);
    expect(activePath(columns, (count) => 10 - count)).toBe('M0,10H0V1H1V8H40V10V10Z');
    expect(activePath([], () => 0)).toBe('');
  });

  test('lanes are under each other, and marks are numbered for the keys', () => {
    const marks = [{ at: 5, kind: 'crash' as const, said: 'died' }];
    const { placed, count } = layOut(
      lanesOf(
        {
          startMs,
          endMs: startMs + 100,
          samples: [sample('a', 10), sample('b', 10, 'fail')],
          active: [],
          marks,
        },
        (ms) => ms,
      ),
    );
    expect(placed.map(({ name }) => name)).toEqual(['passed', 'failed', 'crashes']);
    expect(placed.flatMap((lane) => lane.marks.map(({ index }) => index))).toEqual([0, 1, 2]);
    expect(count).toBe(3);
    expect(placed.map(({ y }) => y)).toEqual(placed.map(({ y }) => y).toSorted((a, b) => a - b));
  });
});

test('the finding says how many, what came between, and what held it up', () => {
  const samples = Array.from({ length: 30 }, (_, at) => sample(`s${at}`, at < 27 ? 1_000 : 10_000));
  const timeline: RunTimeline = {
    startMs,
    endMs: startMs + 10_000,
    samples,
    active: [[0, 30]],
    marks: [{ at: 1, kind: 'retry', said: '' }],
  };
  expect(timelineSaid(timeline, 10_000)).toBe(
    'Up to 30 at a time for 10.0 s · 1 retry · the last tenth of the samples took 90 % of the time',
  );
  expect(timelineTable(timeline).rows).toHaveLength(31);
});

describe('tokens a second', () => {
  test('are drawn once for each pixel, and no peak is lost', () => {
    const perSecond = Array.from({ length: 100 }, (_, bin) => (bin === 42 ? 900 : 10));
    const columns = tokenColumns({ binMs: 1_000, perSecond }, (ms) => ms / 4_000);
    expect(columns).toHaveLength(26);
    expect(Math.max(...columns.map(({ most }) => most))).toBe(900);
    expect(columns.at(-1)).toMatchObject({ x: 25, last: 0 });
  });

  test('push the lanes down', () => {
    const lanes = lanesOf(
      { startMs, endMs: startMs, samples: [sample('a', 1)], active: [], marks: [] },
      (ms) => ms,
    );
    expect(layOut(lanes, 200).bottom - layOut(lanes, 100).bottom).toBe(100);
  });
});
