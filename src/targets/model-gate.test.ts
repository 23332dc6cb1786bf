import fc from 'fast-check';
import { expect, test } from 'vitest';
import { manualClock, settle } from '../../test/sim/manual-clock.ts';
import { createModelGate, type GatePass } from './model-gate.ts';

const gateOf = (limitMax: number, limitStart?: number) =>
  createModelGate({
    model: 'mock/x',
    clock: manualClock(),
    limitMax,
    ...(limitStart !== undefined && { limitStart }),
  });

test('[GATE-1] whatever the order of coming and going, no more are inside than the limit allows', async () => {
  // Most steps enter, or there would hardly ever be a queue.
  const kinds = ['enter', 'enter', 'enter', 'enter', 'succeeded', 'overloaded', 'failed', 'give up'] as const;
  const steps = fc.array(fc.constantFrom(...kinds), { maxLength: 80 });
  await fc.assert(
    fc.asyncProperty(steps, fc.integer({ min: 1, max: 6 }), async (sequence, limitMax) => {
      const gate = gateOf(limitMax, 2);
      const inside: GatePass[] = [];
      const waiting: AbortController[] = [];
      let limitSeen = gate.limit;
      for (const step of sequence) {
        if (step === 'enter') {
          const control = new AbortController();
          waiting.push(control);
          gate.enter(control.signal).then(
            (pass) => {
              waiting.splice(waiting.indexOf(control), 1);
              inside.push(pass);
            },
            () => waiting.splice(waiting.indexOf(control), 1),
          );
        } else if (step === 'give up') waiting.at(-1)?.abort(new Error('gave up'));
        else inside.shift()?.leave(step as 'succeeded');
        await settle();
        // Passes that are out when the limit is lowered stay out; no new one is given before they are back.
        limitSeen = Math.max(gate.limit, Math.min(limitSeen, gate.active));
        expect(gate.active).toBe(inside.length);
        expect(gate.active).toBeLessThanOrEqual(limitSeen);
        expect(gate.waiting).toBe(waiting.length);
        if (gate.active < gate.limit) expect(gate.waiting).toBe(0);
        expect(gate.limit).toBeGreaterThanOrEqual(1);
        expect(gate.limit).toBeLessThanOrEqual(limitMax);
      }
    }),
    { numRuns: 60 },
  );
});

test('[GATE-2] callers enter in the order in which they came, and one that gave up is passed over', async () => {
  const gate = gateOf(1);
  const first = await gate.enter();
  const entered: string[] = [];
  const control = new AbortController();
  const enter = async (name: string, signal?: AbortSignal) => {
    const pass = await gate.enter(signal);
    entered.push(name);
    return pass;
  };
  const second = enter('second');
  const third = enter('third', control.signal);
  const fourth = enter('fourth');
  control.abort(new Error('stop'));
  await expect(third).rejects.toThrow('stop');
  first.leave('succeeded');
  (await second).leave('succeeded');
  await fourth;
  expect(entered).toEqual(['second', 'fourth']);
});

test('the limit grows with success, halves at an overload, and says so', async () => {
  const gate = gateOf(40, 10);
  const enterAll = () => Promise.all(Array.from({ length: gate.limit }, () => gate.enter()));
  for (const pass of await enterAll()) pass.leave('succeeded');
  expect(gate.limit).toBe(11); // only full gates say that more would fit

  const [one, ...others] = await enterAll();
  one?.leave('overloaded');
  expect(gate.limit).toBe(5);
  for (const pass of others) pass.leave('overloaded'); // these were let in before: one wave, one decrease
  expect(gate.limit).toBe(5);
  expect(gate.history.map(({ old_limit, new_limit, reason }) => [old_limit, new_limit, reason])).toEqual([
    [10, 11, 'slow_start'],
    [11, 5, 'rate_limit'],
  ]);
});

test('[LOG-33] the history of the limit is what the log may hold', async () => {
  const gate = gateOf(4, 2);
  const round = async (outcome: 'succeeded' | 'overloaded') => {
    const passes = await Promise.all(Array.from({ length: gate.limit }, () => gate.enter()));
    for (const pass of passes) pass.leave(outcome);
  };
  for (const outcome of ['succeeded', 'overloaded', 'succeeded', 'succeeded'] as const) await round(outcome);
  expect(gate.history.map(({ reason }) => reason)).toEqual(['slow_start', 'rate_limit', 'steady_state_up']);
  for (const { timestamp } of gate.history) expect(timestamp).toBe(manualClock().nowMs() / 1_000);
});

test('the limit never falls below one, nor rises above the concurrency of the run', async () => {
  const gate = gateOf(2);
  expect(gate.limit).toBe(2);
  for (let round = 0; round < 5; round++) (await gate.enter()).leave('overloaded');
  expect(gate.limit).toBe(1);
  for (let round = 0; round < 20; round++) (await gate.enter()).leave('succeeded');
  expect(gate.limit).toBe(2);
});
