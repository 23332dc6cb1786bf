import type { RunItem, TrendPoint } from './api.ts';

/** So many points has a trend, with the run itself. */
const POINTS_MAX = 12;

/** The runs of each eval and target that have the same first score, newest first. Made once for a list, which never changes. */
class Trends {
  readonly #groups: Groups = new Map();

  constructor(items: readonly RunItem[]) {
    for (const item of items) {
      const path = pathOf(item);
      if (path) groupAt(this.#groups, path).push(item);
    }
  }

  /** This run and those before it, newest first. */
  upTo(item: RunItem, most = POINTS_MAX): readonly RunItem[] {
    const path = pathOf(item);
    const group = path ? groupAt(this.#groups, path) : [];
    const at = placeIn(group, item.run);
    return group[at]?.run === item.run ? group.slice(at, at + most) : [];
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
  return trendsOf(all).upTo(item, 2)[1];
}

/** How much the first score is more than that of the run before; undefined when there is none. */
export function changeOf(item: RunItem, all: readonly RunItem[]): number | undefined {
  const before = previousOf(item, all)?.facts?.scores[0]?.value;
  const here = item.facts?.scores[0]?.value;
  return typeof before === 'number' && typeof here === 'number' ? here - before : undefined;
}

function pointOf({ run, facts }: RunItem): TrendPoint {
  const { value, low, high } = facts?.scores[0] ?? {};
  const point: TrendPoint = { run, value: value ?? Number.NaN };
  if (low !== undefined) point.low = low;
  if (high !== undefined) point.high = high;
  return point;
}

/** By eval, target, scorer, score and metric: names are few and known, so that nothing has to be put together for each run. */
type Groups = Map<string, Groups | RunItem[]>;
type Path = readonly [string, string, string, string, string];

/** What was removed, or has no number, is no part of a trend. */
function pathOf({ facts, removed }: RunItem): Path | undefined {
  const score = facts?.scores[0];
  if (!facts || !score || score.value === null || Number.isNaN(score.value) || removed) return undefined;
  return [facts.eval, facts.target, score.scorer, score.name, score.metric];
}

function groupAt(groups: Groups, path: Path, at = 0): RunItem[] {
  const key = path[at] ?? '';
  let found = groups.get(key);
  if (!found) {
    found = at === path.length - 1 ? [] : new Map();
    groups.set(key, found);
  }
  return found instanceof Map ? groupAt(found, path, at + 1) : found;
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
