import type { SampleId, SampleItem } from '../../../../src/server/api.ts';
import { formatScore } from '../../ui/format.ts';

/** The number that a sample got at one epoch. */
export interface SpreadValue {
  readonly id: SampleId;
  readonly epoch: number;
  readonly value: number;
}

export interface SpreadBin {
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

/** Smallest first. What is no number is left out. */
export function spreadValues(
  samples: readonly SampleItem[],
  score: string | undefined,
): readonly SpreadValue[] {
  const values = samples.flatMap(({ id, epochs }) =>
    epochs.flatMap(({ epoch, scores }) => {
      const value = score === undefined ? undefined : scores[score]?.number;
      return value === undefined || !Number.isFinite(value) ? [] : [{ id, epoch, value }];
    }),
  );
  return values.toSorted((a, b) => a.value - b.value);
}

/** The ends of the axis: 0 and 1 where all are shares. */
export function spreadDomain(values: readonly SpreadValue[]): readonly [number, number] {
  const least = values[0]?.value ?? 0;
  const most = values.at(-1)?.value ?? 1;
  if (least >= 0 && most <= 1) return [0, 1];
  return least === most ? [least - 1, most + 1] : [least, most];
}

/** Bins of the same width over the axis. The last has its upper end, too. */
export function spreadBins(values: readonly SpreadValue[], bins = 20): readonly SpreadBin[] {
  const [from, to] = spreadDomain(values);
  const width = (to - from) / bins;
  const counts = new Array<number>(bins).fill(0);
  for (const { value } of values) {
    const at = Math.max(0, Math.min(bins - 1, Math.floor((value - from) / width)));
    counts[at] = (counts[at] ?? 0) + 1;
  }
  return counts.map((count, at) => ({
    from: round(from + at * width),
    to: round(from + (at + 1) * width),
    count,
  }));
}

/** The finding: where the middle half of them is. */
export function spreadSaid(values: readonly SpreadValue[], score: string | undefined): string {
  if (values.length === 0) return 'No number yet';
  const at = (share: number) => values[Math.round(share * (values.length - 1))]?.value ?? 0;
  const name = score ?? 'score';
  if (values.length < 4) return `${name}: ${values.map(({ value }) => formatScore(value)).join(', ')}`;
  return `${name}: half of all between ${formatScore(at(0.25))} and ${formatScore(at(0.75))}, median ${formatScore(at(0.5))}`;
}

/** The filter that leaves the samples of a bin. */
export function binQuery({ from, to }: SpreadBin, isLast: boolean): string {
  return `score>=${from} score${isLast ? '<=' : '<'}${to}`;
}

/** Ends without the noise of computing with them, so that they can be written into a filter. */
function round(value: number): number {
  return Number(value.toPrecision(6));
}
