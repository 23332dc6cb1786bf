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
