import { definedOf } from '../base/index.ts';
import type { TokenUsage } from '../evals/index.ts';
import type { ModelUsage } from '../log/index.ts';
import type { ModelAnswer } from './language-model.ts';

/** Usage as Inspect counts it: `input_tokens` are those that came neither from nor went into the cache. */
export function modelUsageOf({ inputTokens, outputTokens }: ModelAnswer['usage']): ModelUsage {
  const cacheRead = countOf(inputTokens.cacheRead);
  const cacheWrite = countOf(inputTokens.cacheWrite);
  const reasoning = countOf(outputTokens.reasoning);
  const [read, write] = [cacheRead ?? 0, cacheWrite ?? 0];
  const fresh = countOf(inputTokens.noCache) ?? Math.max(0, (countOf(inputTokens.total) ?? 0) - read - write);
  const output = countOf(outputTokens.total) ?? (countOf(outputTokens.text) ?? 0) + (reasoning ?? 0);
  return {
    input_tokens: fresh,
    output_tokens: output,
    total_tokens: fresh + read + write + output,
    ...(cacheWrite !== undefined && { input_tokens_cache_write: write }),
    ...(cacheRead !== undefined && { input_tokens_cache_read: read }),
    ...(reasoning !== undefined && { reasoning_tokens: reasoning }),
  };
}

/** Providers are others' code: what is no count was not told, and a log holds whole numbers only. */
function countOf(tokens: unknown): number | undefined {
  const count = typeof tokens === 'string' && tokens.trim() !== '' ? Number(tokens) : tokens;
  return typeof count === 'number' && Number.isFinite(count) ? Math.max(0, Math.round(count)) : undefined;
}

/** Usage in the words that target functions see: `inputTokens` counts all input, cached or not. */
export function tokenUsageOf(usage: ModelUsage): TokenUsage {
  return {
    inputTokens: usage.total_tokens - usage.output_tokens,
    outputTokens: usage.output_tokens,
    totalTokens: usage.total_tokens,
    ...definedOf({
      cachedInputTokens: usage.input_tokens_cache_read,
      reasoningTokens: usage.reasoning_tokens,
    }),
  };
}

export const NO_USAGE: ModelUsage = { input_tokens: 0, output_tokens: 0, total_tokens: 0 };
