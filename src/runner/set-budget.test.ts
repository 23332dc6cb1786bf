import { expect, test } from 'vitest';
import { createSetBudget } from './set-budget.ts';

const limited = (limitUsd: number | undefined, allowUnpriced = false) =>
  createSetBudget({ limitUsd, allowUnpriced });

test('the limit of the command line takes the place of every eval’s own, and all share it', () => {
  const set = limited(10);
  const [one, other] = [set.forEval({}, 1), set.forEval({}, undefined)];
  one.spend(6);
  expect([one.isExhausted(), other.isExhausted()]).toEqual([false, false]);
  other.spend(4);
  expect([one.isExhausted(), other.isExhausted()]).toEqual([true, true]);
  expect(one).toMatchObject({ limitUsd: 10, spentUsd: 10 });
});

test('without it each eval has its own, or none', () => {
  const set = limited(undefined);
  const [one, other] = [set.forEval({}, 1), set.forEval({}, undefined)];
  one.spend(1);
  other.spend(100);
  expect([one.isExhausted(), other.isExhausted()]).toEqual([true, false]);
});

test('what a run cost before is counted once, however often the command goes on with it', () => {
  const set = limited(10);
  const item = {};
  const first = set.forEval(item, undefined);
  first.countEarlier('run-1', 3);
  first.spend(2);
  const again = set.forEval(item, undefined);
  again.countEarlier('run-1', 5);
  expect(again.spentUsd).toBe(5);
  again.countEarlier('run-2', 1);
  expect(again.spentUsd).toBe(6);
});

test('[BUD-5] with a limit prices are needed, unless it is allowed to go without', () => {
  expect(limited(1).forEval({}, undefined).needsPrices).toBe(true);
  expect(limited(undefined).forEval({}, 1).needsPrices).toBe(true);
  expect(limited(undefined).forEval({}, undefined).needsPrices).toBe(false);
  expect(limited(1, true).forEval({}, 1).needsPrices).toBe(false);
});
