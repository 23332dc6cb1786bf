import { expect, test } from 'vitest';
import type { ModelUsage } from '../log/index.ts';
import { LIST_PRICES } from './price-table.ts';
import { createPrices } from './prices.ts';

const usage: ModelUsage = {
  input_tokens: 1_000_000,
  output_tokens: 100_000,
  total_tokens: 3_100_000,
  input_tokens_cache_read: 1_000_000,
  input_tokens_cache_write: 1_000_000,
};

test('each kind of token has its price, and cached input falls back to the price of input', () => {
  const prices = createPrices({
    table: {
      'openai/a': { input: 1, output: 10, cacheRead: 0.1, cacheWrite: 2 },
      'openai/b': { input: 1, output: 10 },
    },
  });
  expect(prices.costOf('openai/a', usage)).toBeCloseTo(1 + 1 + 0.1 + 2);
  expect(prices.costOf('openai/b', usage)).toBeCloseTo(1 + 1 + 1 + 1);
});

test('dated snapshots, addresses and whole providers find their price', () => {
  const prices = createPrices({ table: { 'openai-compatible/*': { input: 0, output: 0 } } });
  expect(prices.priceOf('anthropic/claude-sonnet-4-5-20250929')).toBe(
    LIST_PRICES['anthropic/claude-sonnet-4-5'],
  );
  expect(prices.priceOf('openai/gpt-5-2025-08-07')).toBe(LIST_PRICES['openai/gpt-5']);
  expect(prices.costOf('openai-compatible/llama3@http://127.0.0.1:11434/v1', usage)).toBe(0);
});

test('the price of a model itself goes before that of its provider, also for a dated snapshot', () => {
  const table = { 'mine/*': { input: 9, output: 9 }, 'mine/small': { input: 1, output: 1 } };
  const prices = createPrices({ table });
  expect(prices.priceOf('mine/small-2026-01-02')).toBe(table['mine/small']);
  expect(prices.priceOf('mine/small-latest@https://x.test/v1')).toBe(table['mine/small']);
  expect(prices.priceOf('mine/large-20260102')).toBe(table['mine/*']);
});

test('an unknown price is undefined, never zero, and is reported once for each model', () => {
  const unknown: string[] = [];
  const prices = createPrices({ onUnknown: (model) => unknown.push(model) });
  expect(prices.costOf('openai/gpt-99', usage)).toBeUndefined();
  expect(prices.costOf('openai/gpt-99', usage)).toBeUndefined();
  expect(prices.costOf('openai-compatible/x', usage)).toBeUndefined();
  expect(unknown).toEqual(['openai/gpt-99', 'openai-compatible/x']);
});

test('the table of the user wins over the list', () => {
  const prices = createPrices({ table: { 'openai/gpt-5': { input: 7, output: 7 } } });
  expect(prices.priceOf('openai/gpt-5')).toEqual({ input: 7, output: 7 });
});

test.each([
  { input: -1, output: 1 },
  { input: Number.NaN, output: 1 },
  { input: '1', output: 1 },
  { output: 1 },
])('a price such as %j is refused by name', (price) => {
  expect(() => createPrices({ table: { 'x/y': price as never } })).toThrow(
    expect.objectContaining({ code: 'E_PRICE_INVALID' }),
  );
});
