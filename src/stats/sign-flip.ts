import { seededRandom } from '../base/index.ts';
import { sum } from './moments.ts';

/** Up to this many differences all ways to flip their signs are tried: 65,536 of them. */
export const FLIPS_EXACT_MAX = 16;
/** Beyond it so many are drawn, from one seed, so that the same runs always get the same answer. */
export const FLIPS_DRAWN = 9_999;
const SEED = 20_260_101;

export interface SignFlip {
  /** Two-sided. 1 when nothing differs. */
  readonly p: number;
  readonly method: 'exact' | 'drawn';
}

/**
 * Fisher's permutation test of paired differences: if the sides were alike, each difference could as well have the other sign. How
 * often is a sum at least as far from 0 as the one that was seen? It assumes nothing about how differences are spread, which suits
 * scores, costs and times. Sizes are sorted first, so that neither the order of the samples nor the side decides which flips are drawn.
 */
export function signFlipTest(differences: readonly number[]): SignFlip {
  const sizes = differences
    .filter((value) => value !== 0)
    .map(Math.abs)
    .sort((a, b) => a - b);
  const seen = Math.abs(sum(differences));
  // Sums of the same numbers in another order may differ in their last digits, and are equal all the same.
  const least = seen - 1e-12 * sum(sizes);
  if (sizes.length <= FLIPS_EXACT_MAX)
    return { p: countExact(sizes, least) / 2 ** sizes.length, method: 'exact' };
  return { p: (1 + countDrawn(sizes, least)) / (1 + FLIPS_DRAWN), method: 'drawn' };
}

/** All signs, each reached from the one before by flipping a single one (a Gray code). */
function countExact(sizes: readonly number[], least: number): number {
  const isFlipped = sizes.map(() => false);
  let total = sum(sizes);
  let count = Math.abs(total) >= least ? 1 : 0;
  for (let step = 1; step < 2 ** sizes.length; step++) {
    const at = trailingZeros(step);
    const size = sizes[at] ?? 0;
    total += isFlipped[at] ? 2 * size : -2 * size;
    isFlipped[at] = !isFlipped[at];
    if (Math.abs(total) >= least) count++;
  }
  return count;
}

function trailingZeros(step: number): number {
  return 31 - Math.clz32(step & -step);
}

function countDrawn(sizes: readonly number[], least: number): number {
  const random = seededRandom(SEED);
  let count = 0;
  for (let drawn = 0; drawn < FLIPS_DRAWN; drawn++) {
    let total = 0;
    let bits = 0;
    for (let at = 0; at < sizes.length; at++) {
      if (at % 32 === 0) bits = random.next() * 2 ** 32;
      const size = sizes[at] ?? 0;
      total += (bits >>> (at % 32)) & 1 ? size : -size;
    }
    if (Math.abs(total) >= least) count++;
  }
  return count;
}
