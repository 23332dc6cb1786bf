import { expect, test } from 'vitest';
import { runTarget, testModels } from '../../test/sim/target-attempt.ts';
import { systemClock } from '../base/index.ts';
import { BudgetExhausted, createBudget } from './budget.ts';
import { LimitExceeded } from './limit-exceeded.ts';
import { mockModel } from './mock-model.ts';
import { createSampleMeter } from './sample-meter.ts';
import { NO_USAGE } from './usage.ts';

const costly = () =>
  mockModel({
    name: 'mock/costly',
    latencyMs: 5,
    answers: [{ text: 'yes', usage: { inputTokens: 1_000_000, outputTokens: 0 } }],
  });

test('[BUD-1] once it is spent no live call begins, but replays go on', async () => {
  const models = testModels({ budget: createBudget(1), scripted: { 'mock/costly': costly() } });
  const first = await runTarget('mock/costly', { models });
  expect(models.budget.spentUsd).toBeCloseTo(1);
  await expect(runTarget('mock/costly', { models })).rejects.toBeInstanceOf(BudgetExhausted);
  const { result } = await runTarget('mock/costly', { models, earlier: first.attempt.recorder.exchanges });
  expect(result.output).toBe('yes');
  expect(models.budget.spentUsd).toBeCloseTo(1);
});

test('[BUD-2] calls that are under way are let finish, so the overshoot is at most what these cost', async () => {
  const models = testModels({
    budget: createBudget(0.5),
    concurrency: 3,
    scripted: { 'mock/costly': costly() },
  });
  const runs = await Promise.allSettled(
    Array.from({ length: 9 }, () => runTarget('mock/costly', { models })),
  );
  const finished = runs.filter(({ status }) => status === 'fulfilled').length;
  expect(finished).toBeLessThanOrEqual(3);
  expect(models.budget.spentUsd).toBeCloseTo(finished);
});

test('[BUD-3] calls without a price are counted, not guessed', () => {
  const budget = createBudget(1);
  budget.countEarlier('run', 0.25);
  budget.spend(undefined);
  budget.spend(0.5);
  expect(budget).toMatchObject({ spentUsd: 0.75, unpricedCalls: 1 });
  expect(budget.isExhausted()).toBe(false);
  budget.spend(0.25);
  expect(budget.isExhausted()).toBe(true);
  expect(createBudget().isExhausted()).toBe(false);
});

test('[BUD-4] what a run cost counts once, however often it is gone on with', () => {
  const budget = createBudget(10);
  expect(budget.countEarlier('run', 2)).toBe(2);
  budget.spend(1);
  // Another attempt finds all of it in the journals, and something more that another process bought.
  expect(budget.countEarlier('run', 3.5)).toBe(0.5);
  expect(budget.countEarlier('run', 3.5)).toBe(0);
  budget.spend(1);
  expect(budget.countEarlier('another', 1)).toBe(1);
  expect(budget.spentUsd).toBe(5.5);
});

test('[BUD-4] runs that spend side by side say at their ends what each of them cost', () => {
  const budget = createBudget(10);
  budget.countEarlier('one', 0);
  budget.countEarlier('two', 0);
  // Nobody knows whose these are.
  budget.spend(1);
  budget.spend(2);
  budget.attribute('one', 1);
  budget.attribute('two', 2);
  expect([budget.countEarlier('one', 1), budget.countEarlier('two', 2)]).toEqual([0, 0]);
  expect(budget.spentUsd).toBe(3);
});

test('[BUD-6] ten calls of $0.02 use up $0.20, and are no more than $0.20', () => {
  const budget = createBudget(0.2);
  for (let call = 0; call < 9; call++) budget.spend(0.02);
  expect(budget.isExhausted()).toBe(false);
  budget.spend(0.02);
  expect(budget.spentUsd).toBeLessThan(0.2); // As binary has it.
  expect(budget.isExhausted()).toBe(true);
  using meter = createSampleMeter({ costUsd: 0.3 }, { clock: systemClock });
  const call = { model: 'm', usage: NO_USAGE, isReplayed: false };
  meter.countModelCall({ ...call, costUsd: 0.1 });
  meter.countModelCall({ ...call, costUsd: 0.2 });
  expect(meter.exceeded).toBe(undefined);
  expect(() => meter.countModelCall({ ...call, costUsd: 1e-6 })).toThrow(LimitExceeded);
});
