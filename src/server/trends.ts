import type { RunItem, TrendPoint } from './api.ts';

/** So many points has a trend, with the run itself. */
const POINTS_MAX = 12;

/** The runs of each eval and target that have the same first score, newest first. Made once for a list, which never changes. */
class Trends {
  readonly #groups = new Map<string, RunItem[]>();

  constructor(items: readonly RunItem[]) {
    for (const item of items) {
      const key = keyOf(item);
      if (key === undefined) continue;
      const group = this.#groups.get(key);
      if (group) group.push(item);
      else this.#groups.set(key, [item]);
    }
  }

  /** This run and those before it, newest first. */
  upTo(item: RunItem): readonly RunItem[] {
    const group = this.#groups.get(keyOf(item) ?? '') ?? [];
    const at = placeIn(group, item.run);
    return group[at]?.run === item.run ? group.slice(at, at + POINTS_MAX) : [];
  }
}

const known = new WeakMap<readonly RunItem[], Trends>();

function trendsOf(items: readonly RunItem[]): Trends {
  const trends = known.get(items) ?? new Trends(items);
  known.set(items, trends);
  return trends;
}

/** The same runs with the one before each, and their trends; `all` is the list that they are of. */
export function withTrends(some: readonly RunItem[], all: readonly RunItem[]): RunItem[] {
  const trends = trendsOf(all);
  return some.map((item) => {
    const points = trends.upTo(item).toReversed().map(pointOf);
    const [before, here] = points.slice(-2);
    if (!before || !here) return item;
    return { ...item, previous: { run: before.run, difference: here.value - before.value }, trend: points };
  });
}

/** The run before; undefined when there is none. */
export function previousOf(item: RunItem, all: readonly RunItem[]): RunItem | undefined {
  return trendsOf(all).upTo(item)[1];
}

/** With the run before each, and nothing else: for a list that is sorted by it. */
export function withPrevious(items: readonly RunItem[], all: readonly RunItem[]): RunItem[] {
  return withTrends(items, all).map(({ trend: _, ...item }) => item);
}

function pointOf({ run, facts }: RunItem): TrendPoint {
  const { value, low, high } = facts?.scores[0] ?? {};
  const point: TrendPoint = { run, value: value ?? Number.NaN };
  if (low !== undefined) point.low = low;
  if (high !== undefined) point.high = high;
  return point;
}

/** What was removed, or has no number, is no part of a trend. */
function keyOf({ facts, removed }: RunItem): string | undefined {
  const score = facts?.scores[0];
  if (!facts || !score || score.value === null || Number.isNaN(score.value) || removed) return undefined;
  return `${facts.eval}\n${facts.target}\n${score.scorer}\n${score.name}\n${score.metric}`;
}

function placeIn(group: readonly RunItem[], run: string): number {
  let [low, high] = [0, group.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((group[middle] as RunItem).run > run) low = middle + 1;
    else high = middle;
  }
  return low;
}
