import { expect, test } from 'vitest';
import type { MeterTotals } from '../targets/index.ts';
import { Ledger } from './ledger.ts';

/** Three calls: one bought, one that was given again, and one given again of which nobody knows the price. */
const totals: MeterTotals = {
  turns: 3,
  messages: 6,
  failedCalls: 0,
  spentUsd: 0.5,
  savedUsd: 0.25,
  tokens: 100,
  savedTokens: 60,
  unpricedCalls: 3,
  unpricedReplays: 2,
  replayedCalls: 2,
  boughtCalls: 1,
};

test('what was given again is saved, and only what was bought is spent, or wasted when nothing came of it', () => {
  const ledger = new Ledger();
  ledger.attempt(totals);
  ledger.waste(totals);
  expect(ledger.usd).toEqual({
    known: { spent: 0.5, saved: 0.25, wasted: 0.5 },
    unpriced: { spent: 1, saved: 2, wasted: 1 },
  });
  expect(ledger.tokens).toEqual({ spent: 40, saved: 60, wasted: 40 });
  expect(ledger.answers).toEqual({ bought: 1, replayed: 2 });
});

test('a sample that did not have to be run saves what it had cost; without a price that is unknown', () => {
  const ledger = new Ledger();
  const usage = { input_tokens: 3, output_tokens: 4, total_tokens: 7 };
  ledger.reused({ model_usage: { a: { ...usage, total_cost: 0.125 }, b: usage } });
  expect(ledger.usd).toEqual({
    known: { spent: 0, saved: 0.125, wasted: 0 },
    unpriced: { spent: 0, saved: 1, wasted: 0 },
  });
  expect(ledger.tokens).toEqual({ spent: 0, saved: 14, wasted: 0 });
});
