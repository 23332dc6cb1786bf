import type { ModelUsage } from './schema.ts';

const OPTIONAL_COUNTS = ['input_tokens_cache_write', 'input_tokens_cache_read', 'reasoning_tokens'] as const;

/**
 * Adds usage as Inspect does: a count that only one side knows is kept, one that neither knows stays absent. The cost of
 * a sum is known only where both costs are: an unknown price is not zero.
 */
export function addUsage(one: ModelUsage | undefined, other: ModelUsage): ModelUsage {
  if (!one) return other;
  const sum: { -readonly [Key in keyof ModelUsage]: ModelUsage[Key] } = {
    input_tokens: one.input_tokens + other.input_tokens,
    output_tokens: one.output_tokens + other.output_tokens,
    total_tokens: one.total_tokens + other.total_tokens,
  };
  for (const key of OPTIONAL_COUNTS) {
    const left = one[key];
    const right = other[key];
    if (left !== undefined || right !== undefined) sum[key] = (left ?? 0) + (right ?? 0);
  }
  if (one.total_cost !== undefined && other.total_cost !== undefined) {
    sum.total_cost = one.total_cost + other.total_cost;
  }
  return sum;
}
