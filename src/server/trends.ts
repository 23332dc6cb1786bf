import type { RunItem, TrendPoint } from './api.ts';

/** So many points has a trend, with the run itself. */
const POINTS_MAX = 12;

/** The runs of each eval and target that have the same first score, newest first. Made once for a list, which never changes. */
class Trends {
  readonly #groups: Groups<Groups<Groups<Groups<Groups<RunItem[]>>>>> = new Map();

  constructor(items: readonly RunItem[]) {
    for (const item of items) {
      groupOf(this.#groups, item)?.push(item);
    }
  }

  /** This run and those before it, newest first. */
  upTo(item: RunItem, most = POINTS_MAX): readonly RunItem[] {
    const group = groupOf(this.#groups, item) ?? [];
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

/** By names, which are few and known: nothing has to be put together for each run. */
type Groups<T> = Map<string, T>;

/** The runs of the same eval, target, scorer, score and metric. What was removed, or has no number, is no part of any trend. */
function groupOf(
  groups: Groups<Groups<Groups<Groups<Groups<RunItem[]>>>>>,
  { facts, removed }: RunItem,
): RunItem[] | undefined {
  const score = facts?.scores[0];
  if (!facts || !score || score.value === null || Number.isNaN(score.value) || removed) return undefined;
  const ofEval = at(groups, facts.eval, newGroups);
  const ofTarget = at(ofEval, facts.target, newGroups);
  const ofScorer = at(ofTarget, score.scorer, newGroups);
  const ofScore = at(ofScorer, score.name, newGroups);
  return at(ofScore, score.metric, newGroup);
}

function at<T>(groups: Groups<T>, name: string, make: () => NoInfer<T>): T {
  const known = groups.get(name);
  if (known !== undefined) return known;
  const made = make();
  groups.set(name, made);
  return made;
}

function newGroups<T>(): Groups<T> {
  return new Map();
}

function newGroup(): RunItem[] {
  return [];
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
