import type { HistoryPoint } from '../../../src/server/api.ts';
import { formatDifference, formatScore } from '../ui/format.ts';

/** A run of one target, with its place among all runs, oldest first. */
export interface SeriesPoint {
  readonly index: number;
  readonly point: HistoryPoint;
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

export interface Series {
  readonly target: string;
  readonly points: readonly SeriesPoint[];
}

/** One line a target, those with the most runs first. Runs without a score are left out, but keep their place. */
export function seriesOf(points: readonly HistoryPoint[]): readonly Series[] {
  const byTarget = new Map<string, SeriesPoint[]>();
  for (const [index, point] of points.entries()) {
    const value = point.score?.value;
    if (value === undefined || value === null || !Number.isFinite(value)) continue;
    const { low = value, high = value } = point.score ?? {};
    const of = byTarget.get(point.target) ?? [];
    if (of.length === 0) byTarget.set(point.target, of);
    of.push({ index, point, value, low, high });
  }
  return [...byTarget]
    .map(([target, of]) => ({ target, points: of }))
    .sort((a, b) => b.points.length - a.points.length || (a.target < b.target ? -1 : 1));
}

/** What all intervals lie within; scores between 0 and 1 are not stretched beyond that. */
export function domainOf(series: readonly Series[]): readonly [number, number] {
  const all = series.flatMap(({ points }) => points);
  if (all.length === 0) return [0, 1];
  const low = Math.min(...all.map((point) => point.low));
  const high = Math.max(...all.map((point) => point.high));
  const room = (high - low) * 0.08 || Math.abs(high) * 0.1 || 0.5;
  const isRate = low >= 0 && high <= 1;
  return [isRate ? Math.max(0, low - room) : low - room, isRate ? Math.min(1, high + room) : high + room];
}

export interface CommitTick {
  readonly index: number;
  readonly commit: string;
  readonly start: string;
}

/** Where another commit begins, as many as have `gap` steps between them; the newest stays. */
export function commitTicks(points: readonly HistoryPoint[], gap: number): readonly CommitTick[] {
  const begins = points.flatMap(({ commit, start }, index) =>
    commit !== undefined && commit !== points[index - 1]?.commit ? [{ index, commit, start }] : [],
  );
  const kept: CommitTick[] = [];
  for (const tick of begins.toReversed()) {
    const last = kept.at(-1);
    if (last === undefined || last.index - tick.index >= gap) kept.push(tick);
  }
  return kept.reverse();
}

/** The finding: which target is ahead, and which moved further than its intervals are wide. */
export function trendTitle(series: readonly Series[]): string {
  const lasts = series.flatMap(({ target, points }) => {
    const last = points.at(-1);
    return last === undefined ? [] : [{ target, last, before: points.at(-2) }];
  });
  const [best] = lasts.toSorted((a, b) => b.last.value - a.last.value);
  if (best === undefined) return 'No run has a score yet';
  const moved = lasts.find(
    ({ last, before }) => before !== undefined && (last.low > before.high || last.high < before.low),
  );
  const ahead =
    lasts.length > 1
      ? `${best.target} is ahead at ${formatScore(best.last.value)}`
      : `${best.target} is at ${formatScore(best.last.value)}`;
  if (moved?.before === undefined) return `${ahead}; no target left the interval of its last run`;
  const by = moved.last.value - moved.before.value;
  return `${ahead}; ${moved.target} went ${by > 0 ? 'up' : 'down'} by ${formatDifference(Math.abs(by)).replace('+', '')} in its last run, out of its interval`;
}
