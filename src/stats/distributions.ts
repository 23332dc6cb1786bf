/** Quantiles and tails of the normal and of Student's t distribution; quantiles by inverting their distribution functions. */
import { assert } from '../base/index.ts';

/** The point below which a standard normal variable falls with probability `p`. */
export function normalQuantile(p: number): number {
  return symmetricQuantile(p, normalCentral);
}

/** The point below which Student's t with `freedom` (a whole number ≥ 1) falls with probability `p`. */
export function tQuantile(p: number, freedom: number): number {
  assert(Number.isInteger(freedom) && freedom >= 1, `t needs whole degrees of freedom, got ${freedom}`);
  if (freedom > FREEDOM_EXACT_MAX) return tFromNormal(normalQuantile(p), freedom);
  return symmetricQuantile(p, (t) => tCentral(t, freedom));
}

/** How probable it is that a standard normal variable lies at least as far from 0 as `z`, on either side. */
export function normalTwoSided(z: number): number {
  const size = Math.abs(z);
  return size > NORMAL_SERIES_MAX ? 2 * normalTail(size) : clampShare(1 - normalCentral(size));
}

/** The same for Student's t with `freedom` (a whole number ≥ 1). */
export function tTwoSided(t: number, freedom: number): number {
  assert(Number.isInteger(freedom) && freedom >= 1, `t needs whole degrees of freedom, got ${freedom}`);
  if (!Number.isFinite(t)) return 0;
  return clampShare(1 - tCentral(Math.abs(t), freedom));
}

/** Beyond this the expansion around the normal quantile is exact to the last digit, and far cheaper. */
const FREEDOM_EXACT_MAX = 3_000;
const NORMAL_SERIES_MAX = 6;

function symmetricQuantile(p: number, central: (x: number) => number): number {
  assert(p > 0 && p < 1, `a quantile needs a probability between 0 and 1, got ${p}`);
  if (p < 0.5) return -symmetricQuantile(1 - p, central);
  const goal = 2 * p - 1;
  let high = 1;
  while (central(high) < goal && high < 1e12) high *= 2;
  let low = 0;
  while (high - low > Number.EPSILON * high) {
    const middle = (low + high) / 2;
    if (middle <= low || middle >= high) break;
    if (central(middle) < goal) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** P(−x < Z < x) for x ≥ 0, by the series of positive terms 2φ(x)·(x + x³/3 + x⁵/15 + …). */
function normalCentral(x: number): number {
  if (x > NORMAL_SERIES_MAX) return 1 - 2 * normalTail(x);
  let term = x;
  let total = 0;
  for (let odd = 3; term > total * Number.EPSILON; odd += 2) {
    total += term;
    term *= (x * x) / odd;
  }
  return (2 * total * Math.exp(-(x * x) / 2)) / Math.sqrt(2 * Math.PI);
}

/** P(Z > x) for large x, by the continued fraction of Mills' ratio. */
function normalTail(x: number): number {
  let ratio = x;
  for (let depth = 60; depth >= 1; depth--) ratio = x + depth / ratio;
  return Math.exp(-(x * x) / 2) / Math.sqrt(2 * Math.PI) / ratio;
}

/**
 * P(−t < T < t) for t ≥ 0: the finite sums for whole degrees of freedom (Abramowitz and Stegun 26.7.3, 26.7.4).
 * All terms are positive, so nothing cancels.
 */
function tCentral(t: number, freedom: number): number {
  const cosSquared = freedom / (freedom + t * t);
  const sin = t / Math.sqrt(freedom + t * t);
  const isOdd = freedom % 2 === 1;
  let term = isOdd ? Math.sqrt(cosSquared) : 1;
  let total = freedom === 1 ? 0 : term;
  for (let step = isOdd ? 3 : 2; step <= freedom - 2; step += 2) {
    term *= (cosSquared * (step - 1)) / step;
    total += term;
  }
  if (!isOdd) return sin * total;
  return (2 / Math.PI) * (Math.atan(t / Math.sqrt(freedom)) + sin * total);
}

/** Cornish–Fisher expansion of the t quantile in powers of 1/freedom (Abramowitz and Stegun 26.7.5). */
function tFromNormal(z: number, freedom: number): number {
  const square = z * z;
  const g1 = (z * (square + 1)) / 4;
  const g2 = (z * ((5 * square + 16) * square + 3)) / 96;
  const g3 = (z * (((3 * square + 19) * square + 17) * square - 15)) / 384;
  const g4 = (z * ((((79 * square + 776) * square + 1482) * square - 1920) * square - 945)) / 92_160;
  return z + (g1 + (g2 + (g3 + g4 / freedom) / freedom) / freedom) / freedom;
}

/** What rounding makes of a share that is nearly 0 or 1. */
function clampShare(share: number): number {
  return Math.min(1, Math.max(0, share));
}
