import type { ComparedCell, ComparedSample } from '../../../../src/server/api.ts';
import { letterOf } from '../../ui/run-letters.ts';

/** A sample's score in the base and in another run. */
export interface Pair {
  readonly before: number;
  readonly after: number;
}

/** Samples that have a score in both runs; the others are counted beside the plot. */
export function pairsOf(samples: readonly ComparedSample[], other: number): readonly Pair[] {
  return samples.flatMap(({ cells }) => {
    const [before, after] = [scoreOf(cells[0]), scoreOf(cells[other])];
    return before === undefined || after === undefined ? [] : [{ before, after }];
  });
}

function scoreOf(cell: ComparedCell | undefined): number | undefined {
  if (cell === undefined) return undefined;
  if (cell.number !== undefined) return Number.isFinite(cell.number) ? cell.number : undefined;
  return cell.passed === undefined || cell.epochs === 0 ? undefined : cell.passed / cell.epochs;
}

/** From the least to the greatest of both sides; scores between 0 and 1 have the whole of that. */
export function domainOf(pairs: readonly Pair[]): readonly [number, number] {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { before, after } of pairs) {
    low = Math.min(low, before, after);
    high = Math.max(high, before, after);
  }
  if (low > high || (low >= 0 && high <= 1)) return [0, 1];
  return low === high ? [low - 1, high + 1] : [low, high];
}

/** Samples that go from the same score to the same score are one line. */
export interface Slope extends Pair {
  readonly count: number;
  readonly query: string;
}

/** The unchanged first, so that what changed is drawn over it; then the fewest last. */
export function slopesOf(pairs: readonly Pair[], other: number): readonly Slope[] {
  const groups = new Map<string, { pair: Pair; count: number }>();
  for (const pair of pairs) {
    const key = `${pair.before} ${pair.after}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { pair, count: 1 });
    else group.count += 1;
  }
  const isChanged = ({ before, after }: Pair) => Number(before !== after);
  return [...groups.values()]
    .map(({ pair, count }) => ({
      ...pair,
      count,
      query: `${nearQuery(0, pair.before)} ${nearQuery(other, pair.after)}`,
    }))
    .sort((a, b) => isChanged(a) - isChanged(b) || b.count - a.count);
}

/** The filter for one score of one run: exact where it has three digits or fewer, else to the third. */
export function nearQuery(run: number, value: number): string {
  const letter = letterOf(run).toLowerCase();
  const [from, to] = [Math.floor(value * 1_000) / 1_000, Math.ceil(value * 1_000) / 1_000];
  return from === to ? `${letter}:${plain(value)}` : rangeQuery(run, from, to, true);
}

export function rangeQuery(run: number, from: number, to: number, isToIncluded: boolean): string {
  const letter = letterOf(run).toLowerCase();
  return `${letter}>=${plain(from)} ${letter}${isToIncluded ? '<=' : '<'}${plain(to)}`;
}

function plain(value: number): string {
  return String(Number(value.toPrecision(12)));
}
