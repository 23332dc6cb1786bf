import type { TokenUsage } from '../evals/index.ts';
import type { ModelUsage } from '../log/index.ts';
import type { ModelAnswer } from './language-model.ts';

/** Usage as Inspect counts it: `input_tokens` are those that came neither from nor went into the cache. */
export function modelUsageOf({ inputTokens, outputTokens }: ModelAnswer['usage']): ModelUsage {
  const read = inputTokens.cacheRead ?? 0;
  const write = inputTokens.cacheWrite ?? 0;
  const fresh = inputTokens.noCache ?? Math.max(0, (inputTokens.total ?? 0) - read - write);
  const output = outputTokens.total ?? (outputTokens.text ?? 0) + (outputTokens.reasoning ?? 0);
  return {
    input_tokens: fresh,
    output_tokens: output,
    total_tokens: fresh + read + write + output,
    ...(inputTokens.cacheWrite !== undefined && { input_tokens_cache_write: write }),
    ...(inputTokens.cacheRead !== undefined && { input_tokens_cache_read: read }),
    ...(outputTokens.reasoning !== undefined && { reasoning_tokens: outputTokens.reasoning }),
  };
}

/** The sum of two usages. The cost of a sum is known only where both costs are. */
export function addUsage(one: ModelUsage | undefined, other: ModelUsage): ModelUsage {
  if (!one) return other;
  const optional = {
    input_tokens_cache_write: sumOfKnown(one.input_tokens_cache_write, other.input_tokens_cache_write),
    input_tokens_cache_read: sumOfKnown(one.input_tokens_cache_read, other.input_tokens_cache_read),
    reasoning_tokens: sumOfKnown(one.reasoning_tokens, other.reasoning_tokens),
  };
  return {
    input_tokens: one.input_tokens + other.input_tokens,
    output_tokens: one.output_tokens + other.output_tokens,
    total_tokens: one.total_tokens + other.total_tokens,
    ...Object.fromEntries(Object.entries(optional).filter(([, tokens]) => tokens !== undefined)),
    ...(one.total_cost !== undefined &&
      other.total_cost !== undefined && { total_cost: one.total_cost + other.total_cost }),
  };
}

/** Usage in the words that target functions see: `inputTokens` counts all input, cached or not. */
export function tokenUsageOf(usage: ModelUsage): TokenUsage {
  return {
    inputTokens: usage.total_tokens - usage.output_tokens,
    outputTokens: usage.output_tokens,
    totalTokens: usage.total_tokens,
    ...(usage.input_tokens_cache_read !== undefined && { cachedInputTokens: usage.input_tokens_cache_read }),
    ...(usage.reasoning_tokens !== undefined && { reasoningTokens: usage.reasoning_tokens }),
  };
}

export const NO_USAGE: ModelUsage = { input_tokens: 0, output_tokens: 0, total_tokens: 0 };

function sumOfKnown(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined && other === undefined ? undefined : (one ?? 0) + (other ?? 0);
}
