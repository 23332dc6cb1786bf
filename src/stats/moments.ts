/** Sums, means and spreads of plain numbers, accurate to the last digits however many there are. */

/** Neumaier's compensated sum: the error does not grow with the count. */
export function sum(values: Iterable<number>): number {
  let total = 0;
  let lost = 0;
  for (const value of values) {
    const next = total + value;
    lost += Math.abs(total) >= Math.abs(value) ? total - next + value : value - next + total;
    total = next;
  }
  return Number.isFinite(lost) ? total + lost : total;
}

/** 0 for no values. */
export function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : sum(values) / values.length;
}

/** Sample variance (n − 1); 0 for fewer than two values. */
export function variance(values: readonly number[]): number {
  if (values.length < 2) return 0;
  const centre = mean(values);
  return sum(values.map((value) => (value - centre) ** 2)) / (values.length - 1);
}

export function standardDeviation(values: readonly number[]): number {
  return Math.sqrt(variance(values));
}

/** Standard error of the mean; 0 for fewer than two values. */
export function standardError(values: readonly number[]): number {
  return values.length < 2 ? 0 : standardDeviation(values) / Math.sqrt(values.length);
}

/**
 * Standard error of the mean when values come in clusters that move together:
 * √(Σ over clusters of (Σ deviations)² · C/(C−1)) / n. 0 for fewer than two clusters.
 */
export function clusteredStandardError(clusters: readonly (readonly number[])[]): number {
  if (clusters.length < 2) return 0;
  const values = clusters.flat();
  const centre = mean(values);
  const squares = clusters.map((cluster) => sum(cluster.map((value) => value - centre)) ** 2);
  return Math.sqrt((sum(squares) * clusters.length) / (clusters.length - 1)) / values.length;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  if (sorted.length % 2 === 1) return upper;
  return ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** The value below which `share` of the values lie, interpolated linearly between neighbours. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const position = share * (sorted.length - 1);
  const below = sorted[Math.floor(position)] ?? Number.NaN;
  const above = sorted[Math.ceil(position)] ?? Number.NaN;
  return below + (above - below) * (position - Math.floor(position));
}
