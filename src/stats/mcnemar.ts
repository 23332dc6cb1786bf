import { assert } from '../base/index.ts';
import { normalTwoSided } from './distributions.ts';

/** Pairs of pass and fail that differ: what failed before and passes now, and the other way round. */
export interface Discordant {
  readonly gained: number;
  readonly lost: number;
}

/**
 * Up to this many the exact test is used. It never calls more than α of equal pairs different, which a gate needs; the mid-p
 * variant is a little keener and gives that up. Beyond it the two differ by less than a gate can see, and 2⁻ⁿ leaves the range of
 * numbers: there the χ² approximation with continuity correction, which is as careful, takes its place.
 */
export const MCNEMAR_EXACT_MAX = 1_000;

export interface McNemar {
  /** Two-sided. 1 when no pair differs. */
  readonly p: number;
  readonly method: 'exact' | 'chi-square';
}

/** McNemar's test of pairs of pass and fail: whether as many were gained as lost. */
export function mcnemar({ gained, lost }: Discordant): McNemar {
  assert(Number.isInteger(gained) && Number.isInteger(lost) && gained >= 0 && lost >= 0, 'pairs are counted');
  const count = gained + lost;
  if (count > MCNEMAR_EXACT_MAX) {
    const apart = Math.max(0, Math.abs(gained - lost) - 1);
    return { p: normalTwoSided(apart / Math.sqrt(count)), method: 'chi-square' };
  }
  return { p: Math.min(1, 2 * evenTail(Math.min(gained, lost), count)), method: 'exact' };
}

/** P(X ≤ most) for X binomial(count, ½), as a sum of its positive terms. */
function evenTail(most: number, count: number): number {
  let term = 2 ** -count;
  let total = term;
  for (let k = 0; k < most; k++) {
    term *= (count - k) / (k + 1);
    total += term;
  }
  return total;
}
