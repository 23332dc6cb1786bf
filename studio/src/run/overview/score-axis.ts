import type { MetricScore } from '../../../../src/server/api.ts';

/** The ends of the axis of a score: 0 to 1 for all that lie there, else its own, so that what can be compared stands on one. */
export function scoreAxis(score: MetricScore, all: readonly MetricScore[]): readonly [number, number] {
  if (isShare(score)) return [0, 1];
  const own = all.filter((one) => one.name === score.name && one.metric === score.metric);
  const ends = own.flatMap(({ value, low, high }) => [value, low, high]).filter(isNumber);
  const low = Math.min(0, ...ends);
  const high = Math.max(0, ...ends);
  return low === high ? [low - 1, high + 1] : [low, high * 1.1];
}

function isShare({ value, low, high }: MetricScore): boolean {
  return [value, low, high].filter(isNumber).every((one) => one >= 0 && one <= 1);
}

function isNumber(value: number | null | undefined): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}
