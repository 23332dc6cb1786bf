import { domainOf, type Pair, rangeQuery } from './pairs.ts';

/** A square of the plot of A against B. */
export interface Bin {
  readonly column: number;
  readonly row: number;
  readonly count: number;
  /** From which to which score, in A and in B. */
  readonly before: readonly [number, number];
  readonly after: readonly [number, number];
  readonly query: string;
}

export interface Binned {
  readonly size: number;
  readonly domain: readonly [number, number];
  /** Only those that have a sample. */
  readonly bins: readonly Bin[];
  readonly most: number;
}

/** How many samples are at each place of A against B. The greatest score belongs to the last square. */
export function binPairs(pairs: readonly Pair[], other: number, size = 10): Binned {
  const domain = domainOf(pairs);
  const [low, high] = domain;
  const step = (high - low) / size;
  // Steps are no round numbers in binary: what is at an edge must not fall into the square before it.
  const placeOf = (value: number) => Math.min(size - 1, Math.max(0, Math.floor((value - low) / step + 1e-9)));
  const counts = new Map<number, number>();
  for (const { before, after } of pairs) {
    const key = placeOf(before) * size + placeOf(after);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const edges = (at: number): readonly [number, number] => [low + at * step, low + (at + 1) * step];
  const bins = [...counts].map(([key, count]) => {
    const [column, row] = [Math.floor(key / size), key % size];
    const [before, after] = [edges(column), edges(row)];
    const query = `${rangeQuery(0, ...before, column === size - 1)} ${rangeQuery(other, ...after, row === size - 1)}`;
    return { column, row, count, before, after, query };
  });
  return { size, domain, bins, most: Math.max(0, ...counts.values()) };
}
