import type { RunItem } from '../api.ts';

export type Pair = readonly [before: string, after: string];

export interface PairsOptions {
  /** Whoever names a few runs wants to compare them, whatever they are of. */
  readonly named?: readonly string[];
  readonly most: number;
}

/** So many runs can be compared at once. */
const NAMED_MAX = 6;

/**
 * Which runs are compared with which, the older first: a few that were named each with each; of each eval every run with the one before it, and with
 * the one before it of the same target; then, as long as there are not more than `most`, every other pair, the newest first. Runs are given newest first.
 */
export function pairsOf(items: readonly RunItem[], { named = [], most }: PairsOptions): readonly Pair[] {
  const known = items.filter(({ facts, damage }) => facts !== undefined && damage === undefined);
  const groups = [...Map.groupBy(known, ({ facts }) => facts?.eval ?? '').values()];
  const pairs = new Map<string, Pair>();
  const add = (after: RunItem | undefined, before: RunItem | undefined) => {
    if (before && after) pairs.set(`${before.run} ${after.run}`, [before.run, after.run]);
  };
  if (named.length <= NAMED_MAX)
    for (const [after, before] of others([known.filter(({ run }) => named.includes(run))]))
      add(after, before);
  for (const group of groups)
    for (const [index, after] of group.entries()) {
      add(after, group[index + 1]);
      add(
        after,
        group.slice(index + 1).find(({ facts }) => facts?.target === after.facts?.target),
      );
    }
  for (const [after, before] of others(groups)) {
    if (pairs.size >= most) break;
    add(after, before);
  }
  return [...pairs.values()].sort(newestFirst);
}

/** By the newer of the two; all evals together. */
function others(groups: readonly (readonly RunItem[])[]): readonly (readonly [RunItem, RunItem])[] {
  const all = groups.flatMap((group) =>
    group.flatMap((after, index) => group.slice(index + 1).map((before) => [after, before] as const)),
  );
  return all.sort(([a, before], [b, other]) => newestFirst([before.run, a.run], [other.run, b.run]));
}

function newestFirst([before, after]: Pair, [other, later]: Pair): number {
  if (after !== later) return after < later ? 1 : -1;
  return before < other ? 1 : before > other ? -1 : 0;
}
