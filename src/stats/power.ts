import { normalQuantile, tQuantile } from './distributions.ts';
import type { Spread } from './paired-difference.ts';

export interface PowerInput {
  /** The difference that was seen, taken for the true one. */
  readonly difference: number;
  readonly samples: number;
  readonly spread: Spread;
  /** How probable a wrong verdict may be. */
  readonly alpha: number;
  /** How probable a right one should be. */
  readonly power: number;
}

/** What it would take to tell, with probability `power`, if the true difference were the one that was seen. */
export interface ToDecide {
  /** The smallest difference that would be noticed with what is there now; undefined when its spread is unknown, or nothing differs. */
  readonly detectable: number | undefined;
  /** Epochs of every sample in all; undefined when no number of them would do, or nothing differs. */
  readonly epochs: number | undefined;
  /** True when one epoch does not tell chance from difference: then `epochs` is the fewest that could do. */
  readonly isAtLeast: boolean;
  /** Samples in all, at as many epochs as now; undefined when nothing differs. */
  readonly samples: number | undefined;
}

/**
 * More epochs shrink only what differs from epoch to epoch: (between + within / epochs) / samples. When the part between samples
 * alone is too large, no number of epochs decides, and only more samples do.
 */
export function toDecide({ difference, samples, spread, alpha, power }: PowerInput): ToDecide {
  const fewest = fewestSamples(alpha);
  const { between, within } = spread;
  // Of nothing nobody can say what more of it would tell.
  if (samples === 0) return { detectable: undefined, ...undecidable, samples: undefined };
  if (samples < 2)
    return { detectable: undefined, ...undecidable, samples: difference === 0 ? undefined : fewest };
  const reach = tQuantile(1 - alpha / 2, samples - 1) + normalQuantile(power);
  const now = between + (within ?? 0) / spread.epochs;
  const detectable = reach * Math.sqrt(now / samples);
  if (!(Math.abs(difference) > 0)) return { detectable, ...undecidable, samples: undefined };
  const isAtLeast = within === undefined;
  return {
    detectable,
    epochs: samples < fewest ? undefined : epochsFor({ goal: (difference / reach) ** 2 * samples, spread }),
    isAtLeast,
    samples: Math.max(fewest, samples + 1, samplesFor({ variance: now, difference, alpha, power })),
  };
}

const undecidable = { epochs: undefined, isAtLeast: false } as const;

/** As many as make the chance that all differ in one direction less than α. */
export function fewestSamples(alpha: number): number {
  return Math.floor(1 - Math.log2(alpha)) + 1;
}

/** Epochs that bring the variance of a sample's difference down to `goal`; one epoch's spread may be chance altogether. */
function epochsFor({ goal, spread }: { readonly goal: number; readonly spread: Spread }): number | undefined {
  const { between, within, epochs } = spread;
  const [fixed, shrinking] = within === undefined ? [0, between] : [between, within];
  if (goal <= fixed) return undefined;
  return Math.max(Math.floor(epochs) + 1, Math.ceil(shrinking / (goal - fixed)));
}

/** The normal approximation with Guenther's correction, which makes it right for Student's t to within one sample. */
function samplesFor(
  input: Pick<PowerInput, 'difference' | 'alpha' | 'power'> & { readonly variance: number },
) {
  const z = normalQuantile(1 - input.alpha / 2);
  const reach = z + normalQuantile(input.power);
  return Math.ceil((reach * reach * input.variance) / input.difference ** 2 + (z * z) / 2);
}
