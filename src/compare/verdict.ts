import type { PairedDifference } from '../stats/index.ts';

export type Verdict = 'better' | 'worse' | 'cannot tell';

/** How probable a verdict may be where there is no difference. */
export const ALPHA = 0.05;
/** How probable it should be that a difference as large as the one that was seen is told. */
export const POWER = 0.8;

export interface VerdictInput extends Pick<PairedDifference, 'difference' | 'interval'> {
  /** Adjusted where several figures are judged together. */
  readonly p: number;
  readonly betterWhen: 'higher' | 'lower';
}

/**
 * Better or worse only when both agree: the test says that chance alone would do this less than once in twenty times, and the 95 %
 * interval leaves 0 out. All else is *cannot tell*, which is not the same as equal.
 */
export function verdictOf({ difference, interval, p, betterWhen }: VerdictInput): Verdict {
  const isOutside = interval !== undefined && (interval.lower > 0 || interval.upper < 0);
  if (!(p < ALPHA) || !isOutside) return 'cannot tell';
  return difference > 0 === (betterWhen === 'higher') ? 'better' : 'worse';
}

/** Of all figures together: one that is worse makes the run worse, whatever else is better. */
export function overallVerdict(verdicts: readonly Verdict[]): Verdict {
  if (verdicts.includes('worse')) return 'worse';
  return verdicts.includes('better') ? 'better' : 'cannot tell';
}
