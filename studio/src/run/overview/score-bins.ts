const BINS = 20;

/** From the least to the greatest; 0 to 1 where all lie between. */
export function rangeOf(values: readonly number[]): readonly [number, number] {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const value of values) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  if (low >= 0 && high <= 1) return [0, 1];
  return low === high ? [low - 1, high + 1] : [low, high];
}

/** How many values are in each of twenty parts of a range; the last has its end, too. */
export function binned(values: readonly number[], [low, high]: readonly [number, number]): readonly number[] {
  const bins = new Array<number>(BINS).fill(0);
  for (const value of values) {
    const at = Math.min(BINS - 1, Math.floor(((value - low) / (high - low)) * BINS));
    bins[at] = (bins[at] ?? 0) + 1;
  }
  return bins;
}
