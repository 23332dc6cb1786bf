import type { ModelPrice } from '../evals/index.ts';

export type Price = ModelPrice;

/** By model name (`openai/gpt-5`), or by provider (`openai-compatible/*`). */
export type PriceTable = Readonly<Record<string, Price>>;

/** The day on which the providers' price lists were looked at. */
export const PRICES_AS_OF = '2026-11-15';

/**
 * Standard list prices for short contexts, without batch or priority rates. Long-context and one-hour-cache surcharges
 * are not in it, and promotions end: users whose budget depends on a price give their own table, which wins.
 */
export const LIST_PRICES: PriceTable = {
  'anthropic/claude-opus-5-5': { input: 4, output: 20, cacheRead: 0.2, cacheWrite: 5 },
  'anthropic/claude-opus-5': { input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25 },
  'anthropic/claude-opus-4-7': { input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25 },
  'anthropic/claude-opus-4-6': { input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25 },
  'anthropic/claude-opus-4-5': { input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25 },
  'anthropic/claude-opus-4-1': { input: 15, output: 75, cacheRead: 1.5, cacheWrite: 18.75 },
  'anthropic/claude-sonnet-5-5': { input: 2, output: 10, cacheRead: 0.1, cacheWrite: 2.5 },
  'anthropic/claude-sonnet-5': { input: 2, output: 10, cacheRead: 0.2, cacheWrite: 2.5 },
  'anthropic/claude-sonnet-4-6': { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
  'anthropic/claude-sonnet-4-5': { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
  'anthropic/claude-haiku-5-5': { input: 0.1, output: 0.5, cacheRead: 0.01, cacheWrite: 0.125 },
  'anthropic/claude-haiku-4-5': { input: 1, output: 5, cacheRead: 0.1, cacheWrite: 1.25 },

  'openai/gpt-6.1-sol': { input: 2, output: 10, cacheRead: 0.1 },
  'openai/gpt-6.1-terra': { input: 1, output: 5, cacheRead: 0.05, cacheWrite: 1.25 },
  'openai/gpt-6-sol': { input: 2, output: 10, cacheRead: 0.2, cacheWrite: 2.5 },
  'openai/gpt-6-luna': { input: 0.1, output: 0.5, cacheRead: 0.01, cacheWrite: 0.125 },
  'openai/gpt-6-astra': { input: 10, output: 50, cacheRead: 1 },
  'openai/gpt-5.6-sol': { input: 4, output: 20, cacheRead: 0.4 },
  'openai/gpt-5.6-terra': { input: 2, output: 12, cacheRead: 0.2 },
  'openai/gpt-5.6-luna': { input: 0.2, output: 1.2, cacheRead: 0.02 },
  'openai/gpt-5.5': { input: 5, output: 30, cacheRead: 0.5 },
  'openai/gpt-5.4': { input: 2.5, output: 15, cacheRead: 0.25 },
  'openai/gpt-5.4-mini': { input: 0.75, output: 4.5, cacheRead: 0.075 },
  'openai/gpt-5.4-nano': { input: 0.2, output: 1.25, cacheRead: 0.02 },
  'openai/gpt-5.2': { input: 1.75, output: 14, cacheRead: 0.175 },
  'openai/gpt-5.1': { input: 1.25, output: 10, cacheRead: 0.125 },
  'openai/gpt-5': { input: 1.25, output: 10, cacheRead: 0.125 },
  'openai/gpt-5-mini': { input: 0.25, output: 2, cacheRead: 0.025 },
  'openai/gpt-5-nano': { input: 0.05, output: 0.4, cacheRead: 0.005 },
  'openai/gpt-4.1': { input: 2, output: 8, cacheRead: 0.5 },
  'openai/gpt-4.1-mini': { input: 0.4, output: 1.6, cacheRead: 0.1 },
  'openai/gpt-4.1-nano': { input: 0.1, output: 0.4, cacheRead: 0.025 },
  'openai/gpt-4o': { input: 2.5, output: 10, cacheRead: 1.25 },
  'openai/gpt-4o-mini': { input: 0.15, output: 0.6, cacheRead: 0.075 },
  'openai/o3': { input: 2, output: 8, cacheRead: 0.5 },
  'openai/o4-mini': { input: 1.1, output: 4.4, cacheRead: 0.275 },

  'google/gemini-2.5-pro': { input: 1.25, output: 10, cacheRead: 0.125 },
  'google/gemini-2.5-flash': { input: 0.3, output: 2.5, cacheRead: 0.03 },
  'google/gemini-2.5-flash-lite': { input: 0.1, output: 0.4, cacheRead: 0.01 },

  // Nobody is paid for these, but demos and tests must be able to show money.
  'mock/*': { input: 1, output: 5, cacheRead: 0.1, cacheWrite: 1.25 },
};
