import { isJsonObject, type Json } from '../base/index.ts';
import { type LogHeader, type ModelUsage, readUsage } from '../log/index.ts';
import type { Counts, RunCost, RunItem } from './api.ts';
import { accountIn } from './run-account.ts';
import type { SampleRows } from './sample-rows.ts';

/** What a run cost, by what its log tells. Unknown is null, and is never counted as nothing. */
export function costOfRun({ header, usage }: SampleRows, item: RunItem, counts: Counts): RunCost {
  const account = accountIn(header);
  const models = modelCosts(usageOf(header, usage));
  const usd = item.facts?.usd ?? null;
  return {
    usd,
    perSolvedUsd: usd === null || counts.pass === 0 ? null : usd / counts.pass,
    wastedUsd: account?.wastedUsd ?? null,
    savedUsd: account?.savedUsd ?? null,
    models,
  };
}

/** A run that is not finished has no sum yet: what its samples used is added up. */
function usageOf({ stats }: LogHeader, usage: SampleRows['usage']): Readonly<Record<string, ModelUsage>> {
  return Object.keys(stats.model_usage).length > 0 ? stats.model_usage : Object.fromEntries(usage);
}

export function modelCosts(usage: Readonly<Record<string, ModelUsage>>): RunCost['models'] {
  return Object.entries(usage).map(([model, one]) => ({
    model,
    input: one.input_tokens,
    output: one.output_tokens,
    cached: one.input_tokens_cache_read ?? 0,
    reasoning: one.reasoning_tokens ?? 0,
    total: one.total_tokens,
    usd: one.total_cost ?? null,
  }));
}

/** Of a sample, as it is stored. */
export function modelCostsIn(value: Json | undefined): RunCost['models'] {
  return isJsonObject(value) ? modelCosts(readUsage(value) ?? {}) : [];
}
