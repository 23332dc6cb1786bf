/** A straight scale that stays within its ends. d3-scale does more, and is too heavy for the first page. */
export function linear(
  [from, to]: readonly [number, number],
  [start, end]: readonly [number, number],
): (value: number) => number {
  const width = to - from || 1;
  return (value) => start + Math.min(1, Math.max(0, (value - from) / width)) * (end - start);
}

interface Spread {
  readonly value: number;
  readonly low?: number | undefined;
  readonly high?: number | undefined;
}

const LEAST = 0.25;

/**
 * The ends of the axis of a trend. Shares (0 to 1) get at least a quarter of their axis, so that noise does not look like a change and
 * a change is still seen in twenty pixels.
 */
export function sparkDomain(points: readonly Spread[]): readonly [number, number] {
  const low = Math.min(...points.map((point) => point.low ?? point.value));
  const high = Math.max(...points.map((point) => point.high ?? point.value));
  if (low < 0 || high > 1) return low === high ? [low - 1, high + 1] : [low, high];
  const half = Math.max(LEAST, high - low) / 2;
  const middle = Math.min(1 - half, Math.max(half, (low + high) / 2));
  return [middle - half, middle + half];
}
