import { expect, test } from 'vitest';
import { manualClock, settle } from '../../test/sim/manual-clock.ts';
import type { SampleLimits } from '../evals/index.ts';
import { LimitExceeded } from './limit-exceeded.ts';
import { type CountedCall, createSampleMeter } from './sample-meter.ts';

const call = (tokens: number, more: Partial<CountedCall> = {}): CountedCall => ({
  model: 'mock/x',
  usage: { input_tokens: tokens, output_tokens: 0, total_tokens: tokens },
  costUsd: tokens / 100,
  isReplayed: false,
  ...more,
});

function meterWith(limits: SampleLimits, signal?: AbortSignal) {
  const clock = manualClock();
  return { clock, meter: createSampleMeter(limits, { clock, ...(signal && { signal }) }) };
}

test.each([
  ['token', { tokens: 10 }, 10],
  ['cost', { costUsd: 0.1 }, 0.1],
] as const)('the %s limit lets a sample use just as much, and stops it beyond', (type, limits, limit) => {
  const { meter } = meterWith(limits);
  meter.countModelCall(call(10));
  expect(meter.exceeded).toBeUndefined();
  expect(() => meter.countModelCall(call(1))).toThrow(LimitExceeded);
  expect(meter.exceeded?.toSampleLimit()).toEqual({ type, limit });
});

test('the turn limit counts model calls, the message limit what the conversation would grow to', async () => {
  const { meter } = meterWith({ turns: 1, messages: 3 });
  (await meter.admitModelCall(2)).count(call(1));
  await expect(meter.admitModelCall(2)).rejects.toMatchObject({ type: 'turn', limit: 1 });

  const other = meterWith({ messages: 3 }).meter;
  await expect(other.admitModelCall(3)).rejects.toMatchObject({ type: 'message', limit: 3 });
});

test('[MET-4] a call beyond the turn limit waits for those under way, and is admitted when one of them fails', async () => {
  const { meter } = meterWith({ turns: 2 });
  const [first, second] = [await meter.admitModelCall(1), await meter.admitModelCall(1)];
  const waiting = meter.admitModelCall(1);
  await settle();
  expect(meter.exceeded).toBeUndefined();
  first.giveBack();
  first.giveBack();
  const third = await waiting;
  const late = meter.admitModelCall(1);
  third.count(call(1));
  await settle();
  expect(meter.exceeded).toBeUndefined();
  second.count(call(1));
  await expect(late).rejects.toMatchObject({ type: 'turn', limit: 2 });
  expect(meter.totals).toMatchObject({ turns: 2, boughtCalls: 2 });
});

test('[MET-4] a conversation that is too long does not cut off calls that are under way', async () => {
  const { meter } = meterWith({ messages: 3 });
  const admitted = await meter.admitModelCall(1);
  const tooLong = meter.admitModelCall(3);
  await settle();
  expect(meter.signal.aborted).toBe(false);
  admitted.count(call(1));
  await expect(tooLong).rejects.toMatchObject({ type: 'message', limit: 3 });
});

test('a call that waits for its turn is let go when the sample is stopped', async () => {
  const stop = new AbortController();
  const { meter } = meterWith({ turns: 1 }, stop.signal);
  await meter.admitModelCall(1);
  const waiting = meter.admitModelCall(1);
  stop.abort(new Error('stopped'));
  await expect(waiting).rejects.toThrow('stopped');
});

test('[MET-1] a replayed answer counts towards the limits, and as saved instead of spent', () => {
  const { meter } = meterWith({ tokens: 15 });
  meter.countModelCall(call(10, { isReplayed: true }));
  expect(meter.totals).toMatchObject({
    spentUsd: 0,
    savedUsd: 0.1,
    savedTokens: 10,
    replayedCalls: 1,
    tokens: 10,
  });
  expect(() => meter.countModelCall(call(10))).toThrow(LimitExceeded);
  expect(meter.totals.spentUsd).toBeCloseTo(0.1);
});

test('[MET-2] after a limit every further call throws it again, and the signal is aborted with it', async () => {
  const { meter } = meterWith({ tokens: 5 });
  expect(() => meter.countModelCall(call(6))).toThrow(LimitExceeded);
  await expect(meter.admitModelCall(1)).rejects.toBe(meter.exceeded);
  expect(meter.signal.reason).toBe(meter.exceeded);
});

test('[MET-3] waiting is not working, unless something else works meanwhile', async () => {
  const { meter, clock } = meterWith({});
  const wait = meter.whileWaiting(() => clock.sleep(1_000));
  await clock.advance(400);
  const work = meter.whileWorking(() => clock.sleep(200));
  await clock.advance(600);
  await Promise.all([wait, work]);
  await clock.advance(50);
  expect(meter.elapsedMs()).toBe(1_050);
  expect(meter.workingMs()).toBe(250);
});

test('the time limit aborts the sample when its time is over', async () => {
  const { meter, clock } = meterWith({ timeMs: 2_000 });
  await clock.advance(1_999);
  expect(meter.signal.aborted).toBe(false);
  await clock.advance(1);
  expect(meter.signal.reason).toMatchObject({ type: 'time', limit: 2 });
});

test('the working limit does not run while the sample waits', async () => {
  const { meter, clock } = meterWith({ workingMs: 1_000 });
  const wait = meter.whileWaiting(() => clock.sleep(5_000));
  await clock.advance(5_000);
  await wait;
  expect(meter.signal.aborted).toBe(false);
  await clock.advance(1_000);
  expect(meter.signal.reason).toMatchObject({ type: 'working', limit: 1 });
});

test('a limit of weeks does not end at once, as a timer of that length would', async () => {
  const { meter, clock } = meterWith({ timeMs: 40 * 24 * 3_600_000 });
  await clock.advance(30 * 24 * 3_600_000);
  expect(meter.signal.aborted).toBe(false);
});

test('what is lifted is not limited any more, and only the outside can abort', async () => {
  const outside = new AbortController();
  const { meter, clock } = meterWith({ timeMs: 10, tokens: 1 }, outside.signal);
  await clock.advance(20);
  expect(meter.signal.aborted).toBe(true);
  meter.lift();
  expect(meter.signal.aborted).toBe(false);
  meter.countModelCall(call(100));
  outside.abort(new Error('stop'));
  expect(meter.signal.aborted).toBe(true);
  expect(clock.sleepers).toBe(0);
});

test('time that passes after it was lifted is nobody’s limit: a grader may still ask', async () => {
  const { meter, clock } = meterWith({ timeMs: 10, workingMs: 10 });
  await clock.advance(5);
  meter.lift();
  await clock.advance(100);
  expect(meter.exceeded).toBeUndefined();
  (await meter.admitModelCall(1)).count(call(1));
  expect(clock.sleepers).toBe(0);
});

test('usage is summed by model, and a sum with an unknown cost has no cost', () => {
  const { meter } = meterWith({});
  meter.countModelCall(call(10));
  meter.countModelCall(call(2, { model: 'mock/y' }));
  meter.countModelCall(call(2, { model: 'mock/y', costUsd: undefined }));
  meter.countModelCall(call(1, { model: 'mock/y' }));
  meter.countModelCall(
    call(10, { usage: { input_tokens: 1, output_tokens: 2, total_tokens: 6, input_tokens_cache_read: 3 } }),
  );
  expect(meter.usageByModel()).toEqual({
    'mock/x': {
      input_tokens: 11,
      output_tokens: 2,
      total_tokens: 16,
      input_tokens_cache_read: 3,
      total_cost: 0.2,
    },
    'mock/y': { input_tokens: 5, output_tokens: 0, total_tokens: 5 },
  });
  expect(meter.totals.unpricedCalls).toBe(1);
});
