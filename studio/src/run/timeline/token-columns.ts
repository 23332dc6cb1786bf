import type { RunTimeline } from '../../../../src/server/api.ts';
import type { ActiveColumn } from './timeline-marks.ts';

export type TokenRate = NonNullable<RunTimeline['tokens']>;

/** No more than one for each pixel: the most of what falls on it, so that no peak is lost. */
export function tokenColumns(
  { binMs, perSecond }: TokenRate,
  x: (ms: number) => number,
): readonly ActiveColumn[] {
  const columns: ActiveColumn[] = [];
  for (const [bin, rate] of [...perSecond, 0].entries()) {
    const at = Math.round(x(bin * binMs));
    const before = columns.at(-1);
    if (before?.x === at)
      columns[columns.length - 1] = { x: at, most: Math.max(before.most, rate), last: rate };
    else columns.push({ x: at, most: rate, last: rate });
  }
  return columns;
}
