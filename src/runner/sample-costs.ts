import type { EvalSampleSummary } from '../log/index.ts';

/** What completed samples cost, as far as prices are known: all that a forecast has to go by. */
export interface KnownCosts {
  readonly usd: number;
  readonly samples: number;
}

export const NO_COSTS: KnownCosts = { usd: 0, samples: 0 };

export function addCosts(one: KnownCosts, other: KnownCosts): KnownCosts {
  return { usd: one.usd + other.usd, samples: one.samples + other.samples };
}

/** A sample of which nobody knows what it cost says nothing. */
export function costsOf({ model_usage }: Pick<EvalSampleSummary, 'model_usage'>): KnownCosts {
  let usd = 0;
  for (const usage of Object.values(model_usage)) usd += usage.total_cost ?? 0;
  return usd > 0 ? { usd, samples: 1 } : NO_COSTS;
}

/** What so many samples cost on average; undefined when there is nothing to go by. */
export function expectedUsd({ usd, samples }: KnownCosts, count: number): number | undefined {
  return samples === 0 ? undefined : (usd / samples) * count;
}

/** What is going to be paid for, before anything is. */
export interface ExpectedCost {
  /** About what samples cost of which nothing is on record; absent when there is nothing to go by. */
  readonly estimateUsd?: number | undefined;
  /**
   * What samples cost at most, about, that run again with answers on record: nobody knows before they run how many of their
   * requests are new.
   */
  readonly replayAtMostUsd?: number | undefined;
}

export function expectedCost(
  costs: KnownCosts,
  { toBuy, toReplay }: { readonly toBuy: number; readonly toReplay: number },
): ExpectedCost {
  if (costs.samples === 0) return {};
  return { estimateUsd: expectedUsd(costs, toBuy), replayAtMostUsd: expectedUsd(costs, toReplay) };
}
