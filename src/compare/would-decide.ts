import { fewestSamples, type PairedDifference, toDecide } from '../stats/index.ts';
import type { AlignedSample } from './align.ts';
import { ALPHA, POWER } from './verdict.ts';

/** What it would take to tell, if the true difference were the one that was seen; with what it would cost. */
export interface WouldDecide {
  /** The smallest difference that would be told with what is there, four times out of five. */
  readonly detectable?: number;
  /** Absent when no number of epochs would do, or nothing differs. */
  readonly moreEpochs?: number;
  /** True when there is one epoch: then it takes at least so many. */
  readonly isAtLeast?: true;
  readonly cost?: ExpectedCost;
  /** Samples in all, with as many epochs as now. */
  readonly samples?: number;
  /** Where no sample differed at all, or there are too few: so many that go the same way would be told, if there are so many. */
  readonly sameWay?: number;
}

export interface ExpectedCost {
  /** To be run, on both sides together. */
  readonly samples: number;
  /** Null: not known. */
  readonly usd: number | null;
  readonly tokens: number;
}

export function toDecideFor(
  found: PairedSpread & { readonly isPassFail: boolean },
  aligned: readonly AlignedSample[],
): WouldDecide {
  if (found.samples > 0 && isBeyondSpread(found)) return toShow(found, 1);
  const { detectable, epochs, isAtLeast, samples } = toDecide({ ...found, alpha: ALPHA, power: POWER });
  const more = epochs === undefined ? undefined : Math.ceil(epochs - found.spread.epochs);
  return {
    ...(detectable !== undefined && (!found.isPassFail || detectable <= 1) && { detectable }),
    ...(more !== undefined && { moreEpochs: more, cost: costOf(more * found.samples, aligned) }),
    ...(more !== undefined && isAtLeast && { isAtLeast }),
    ...(samples !== undefined && { samples }),
  };
}

/** No pair differs, or there are too few to tell of any difference: no spread says what would show, and the test itself does. */
function isBeyondSpread({ difference, samples, spread }: PairedSpread): boolean {
  if (difference !== 0) return false;
  return samples < fewestSamples(ALPHA) || (spread.between === 0 && (spread.within ?? 0) === 0);
}

type PairedSpread = Pick<PairedDifference, 'difference' | 'samples' | 'spread'>;

/** `together`: of so many figures that are judged together, the first to be told needs a probability that much smaller. */
export function toShow(
  { samples, isPassFail }: { readonly samples: number; readonly isPassFail: boolean },
  together: number,
): WouldDecide {
  const sameWay = fewestSamples(ALPHA / together);
  return { sameWay, ...(isPassFail && samples >= sameWay && { detectable: sameWay / samples }) };
}

/** What so many samples cost on each of the two sides, going by what they cost so far. */
function costOf(samples: number, aligned: readonly AlignedSample[]): ExpectedCost {
  let usd: number | undefined = 0;
  let tokens = 0;
  for (const { before, after } of aligned) {
    usd =
      usd === undefined || before.usd === undefined || after.usd === undefined
        ? undefined
        : usd + (before.usd + after.usd);
    tokens += before.tokens + after.tokens;
  }
  const share = samples / aligned.length;
  return {
    samples: 2 * samples,
    usd: usd === undefined ? null : usd * share,
    tokens: Math.round(tokens * share),
  };
}
