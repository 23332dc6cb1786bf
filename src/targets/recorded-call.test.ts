import { describe, expect, test } from 'vitest';
import { expectInspectEvents } from '../../test/sim/inspect-events.ts';
import { type AttemptOptions, startAttempt, testModels } from '../../test/sim/target-attempt.ts';
import { createBudget } from './budget.ts';
import type { Models } from './models.ts';
import { createRecord } from './recorded-call.ts';
import { NO_USAGE } from './usage.ts';

function begin(options: AttemptOptions & { readonly models?: Models } = {}) {
  const { models = testModels(), ...rest } = options;
  const attempt = startAttempt(rest);
  return { attempt, record: createRecord({ models, scope: attempt.scope }) };
}

test('a result is recorded by its name and input, and given again for nothing, exactly', async () => {
  let calls = 0;
  const at = new Date(5);
  const work = async () => ({ n: ++calls, at, bytes: new Uint8Array([1]), none: undefined, zero: -0 });
  const first = begin();
  const live = await first.record('search', { q: 'x' }, work);
  await first.record('search', { q: 'y' }, work);
  await first.record('other', { q: 'x' }, work);
  expect(live).toEqual({ n: 1, at, bytes: new Uint8Array([1]), zero: -0 });
  expect(calls).toBe(3);
  expect(first.attempt.meter.totals).toMatchObject({ boughtCalls: 3, turns: 0 });
  expect(first.attempt.recorder.exchanges).toMatchObject(Array(3).fill({ request: { kind: 'call' } }));
  expectInspectEvents(first.attempt.recorder.events);

  const again = begin({ earlier: first.attempt.recorder.exchanges });
  expect(await again.record('search', { q: 'x' }, work)).toEqual(live);
  expect(calls).toBe(3);
  expect(again.attempt.meter.totals).toMatchObject({ boughtCalls: 0, replayedCalls: 1 });
  expect(
    await begin({ earlier: first.attempt.recorder.exchanges }).record('search', { q: 'y' }, work),
  ).toMatchObject({
    n: 2,
  });
  expect(again.attempt.recorder.events).toMatchObject([
    {
      event: 'info',
      source: 'record',
      data: { name: 'search', input: { q: 'x' } },
      metadata: { holdfast: { replayed: true } },
    },
  ]);
});

test('equal calls get their results in turn', async () => {
  let calls = 0;
  const first = begin();
  const twice = async ({ record }: ReturnType<typeof begin>) => [
    await record('roll', null, () => ++calls),
    await record('roll', null, () => ++calls),
  ];
  expect(await twice(first)).toEqual([1, 2]);
  expect(await twice(begin({ earlier: first.attempt.recorder.exchanges }))).toEqual([1, 2]);
  expect(calls).toBe(2);
});

test('[REC-1] nobody sees a result before it is durable', async () => {
  const { attempt } = begin();
  const durable = Promise.withResolvers<void>();
  const recorder = { ...attempt.recorder, record: () => durable.promise };
  const record = createRecord({ models: testModels(), scope: { ...attempt.scope, recorder } });
  let seen: unknown;
  const result = record('x', 1, () => 'y').then((value) => {
    seen = value;
  });
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(seen).toBeUndefined();
  durable.resolve();
  await result;
  expect(seen).toBe('y');
});

test('[RED-2] what is to be redacted is redacted before anybody sees it', async () => {
  const { attempt, record } = begin({ models: testModels({ redact: [/secret/g] }) });
  expect(await record('x', 1, () => ({ text: 'a secret' }))).toEqual({ text: 'a [redacted]' });
  expect(JSON.stringify(attempt.recorder.exchanges)).not.toContain('secret');
});

describe('what goes wrong', () => {
  test('work that fails records nothing, and its error is the caller’s', async () => {
    const { attempt, record } = begin();
    await expect(record('x', 1, () => Promise.reject(new Error('no luck')))).rejects.toThrow('no luck');
    expect(attempt.recorder.exchanges).toEqual([]);
    expect(attempt.recorder.events).toMatchObject([{ data: { error: 'no luck' } }]);
    expect(attempt.meter.totals.failedCalls).toBe(1);
  });

  test.each([
    ['a response', () => new Response('x'), /class Response/],
    ['a map', () => new Map(), /class Map/],
    ['a function', () => ({ f: () => 1 }), /a function/],
  ])('%s cannot be recorded, and is refused rather than lost', async (_, work, message) => {
    const { attempt, record } = begin();
    await expect(record<unknown>('x', 1, work)).rejects.toMatchObject({
      code: 'E_RECORD_VALUE',
      message: expect.stringMatching(message),
    });
    expect(attempt.recorder.exchanges).toEqual([]);
  });

  test('an input that cannot be told apart is refused before anything is done', async () => {
    let calls = 0;
    const { record } = begin();
    await expect(record('x', { at: new Map([[1, 2]]) }, () => ++calls)).rejects.toMatchObject({
      code: 'E_RECORD_VALUE',
    });
    const loop: { self?: unknown } = {};
    loop.self = loop;
    await expect(record('x', loop, () => ++calls)).rejects.toMatchObject({ code: 'E_RECORD_VALUE' });
    expect(calls).toBe(0);
  });

  test('without money nothing is done', async () => {
    let calls = 0;
    const budget = createBudget(1);
    budget.spend(1);
    const { record } = begin({ models: testModels({ budget }) });
    await expect(record('x', 1, () => ++calls, { usd: 0 })).rejects.toMatchObject({
      code: 'E_BUDGET_EXHAUSTED',
    });
    expect(calls).toBe(0);
  });

  test('a sample that is stopped does not wait for it', async () => {
    const { record } = begin({ limits: { timeMs: 30 } });
    await expect(record('x', 1, () => new Promise(() => undefined))).rejects.toMatchObject({ type: 'time' });
  });
});

describe('what it costs', () => {
  test('[BUD-5] without a price it is refused under a budget before anything is done, and the sample stops', async () => {
    let calls = 0;
    const { attempt, record } = begin({ models: testModels({ budget: createBudget(1) }) });
    await expect(record('search', 1, () => ++calls)).rejects.toMatchObject({
      code: 'E_PRICE_UNKNOWN',
      hint: expect.stringContaining('prices: { "record/search": { call: 0.01 } }'),
    });
    expect(calls).toBe(0);
    expect(attempt.meter.signal.aborted).toBe(true);
    const allowed = begin({ models: testModels({ budget: createBudget(1, { allowUnpriced: true }) }) });
    await allowed.record('search', 1, () => ++calls);
    expect(allowed.attempt.meter.totals).toMatchObject({ unpricedCalls: 1, spentUsd: 0 });
    expect(allowed.attempt.meter.usageByModel()['record/search']).toEqual(NO_USAGE);
  });

  test.each([
    ['said beside it', { usd: 0.25 }, {}],
    ['read from its result', { usd: (found: { usd: number }) => found.usd }, {}],
    ['in the prices', {}, { 'record/search': { call: 0.25 } }],
  ])('is %s: it counts as spent, and as saved when it is given again', async (_, options, prices) => {
    const budget = createBudget(0.5);
    const models = testModels({ budget, prices });
    const first = begin({ models });
    await first.record('search', 1, () => ({ usd: 0.25 }), options);
    expect(first.attempt.meter.totals).toMatchObject({ spentUsd: 0.25, unpricedCalls: 0, boughtCalls: 1 });
    expect(first.attempt.recorder.exchanges).toMatchObject([{ answer: { costUsd: 0.25 } }]);
    expect(budget.spentUsd).toBe(0.25);
    const again = begin({ models, earlier: first.attempt.recorder.exchanges });
    await again.record('search', 1, () => ({ usd: 0.25 }), options);
    expect(again.attempt.meter.totals).toMatchObject({ spentUsd: 0, savedUsd: 0.25, replayedCalls: 1 });
    expect(budget.spentUsd).toBe(0.25);
  });

  test('is an amount of dollars, or refused', async () => {
    const { record } = begin();
    await expect(record('x', 1, () => 1, { usd: -1 })).rejects.toMatchObject({ code: 'E_PRICE_INVALID' });
  });
});
