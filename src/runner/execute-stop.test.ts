/** How many samples run at a time, how often each is tried, and when a run starts nothing more. */
import { expect, test } from 'vitest';
import { manualClock } from '../../test/sim/manual-clock.ts';
import { digestOf } from '../base/index.ts';
import { type ExecuteOptions, executeSamples, Slots } from './execute.ts';
import type { PlannedSample } from './plan.ts';
import type { SampleOutcome } from './run-sample.ts';

const TOTALS: SampleOutcome['totals'] = {
  tokens: 0,
  turns: 0,
  messages: 0,
  boughtCalls: 0,
  replayedCalls: 0,
  failedCalls: 0,
  spentUsd: 0,
  savedUsd: 0,
  savedTokens: 0,
  unpricedCalls: 0,
  unpricedReplays: 0,
};
const ended = (status: SampleOutcome['status']): SampleOutcome => ({ status, totals: TOTALS });

function plannedSamples(count: number): PlannedSample[] {
  const digest = digestOf('x');
  return Array.from({ length: count }, (_, index) => ({
    index,
    position: index,
    id: index,
    epoch: 1,
    key: digest,
    asked: digest,
    artifacts: undefined,
    content: digest,
  }));
}

function options(count: number, more: Partial<ExecuteOptions>): ExecuteOptions {
  return {
    samples: plannedSamples(count),
    slots: new Slots(2),
    clock: manualClock(),
    signals: { drain: new AbortController().signal, abort: new AbortController().signal },
    graceMs: 1_000,
    retries: 0,
    failOnError: false,
    planned: count,
    isBudgetSpent: () => false,
    journalFailure: new AbortController().signal,
    runOne: async () => ended('completed'),
    ...more,
  };
}

/** How many slots can be taken at once now; they are given back. */
function freeSlots(slots: Slots): number {
  let free = 0;
  while (free < slots.count && slots.take() === undefined) free++;
  for (let given = 0; given < free; given++) slots.give();
  return free;
}

test('as many samples run at a time as there are slots, and each gives its own to the next', async () => {
  const slots = new Slots(2);
  let running = 0;
  let most = 0;
  const runOne = async () => {
    most = Math.max(most, ++running);
    await new Promise((resolve) => setImmediate(resolve));
    running--;
    return ended('completed');
  };
  expect(await executeSamples(options(7, { slots, runOne }))).toEqual({});
  expect(most).toBe(2);
  expect(freeSlots(slots)).toBe(2);
}, 30_000);

test('a run that stops gives back every slot, so that the other runs of its set go on', async () => {
  const slots = new Slots(2);
  let calls = 0;
  const run = options(9, {
    slots,
    isBudgetSpent: () => calls > 2,
    runOne: async () => {
      calls++;
      return ended('completed');
    },
  });
  expect(await executeSamples(run)).toEqual({ stopped: 'budget' });
  expect(freeSlots(slots)).toBe(2);
}, 30_000);

test('nothing is started once the budget is spent', async () => {
  let calls = 0;
  const runOne = async () => {
    calls++;
    return ended('completed');
  };
  const run = options(9, { slots: new Slots(1), isBudgetSpent: () => calls >= 3, runOne });
  expect(await executeSamples(run)).toEqual({ stopped: 'budget' });
  expect(calls).toBe(3);
}, 30_000);

test.each([0, 1, 3])(
  'with %i retries, a sample that always fails is tried once more than that',
  async (retries) => {
    let calls = 0;
    const runOne = async () => {
      calls++;
      return ended('errored');
    };
    await executeSamples(options(1, { retries, runOne }));
    expect(calls).toBe(retries + 1);
  },
);

test('a run that must stop buys no further attempt at what failed', async () => {
  const drain = new AbortController();
  let calls = 0;
  const runOne = async () => {
    calls++;
    drain.abort();
    return ended('errored');
  };
  const signals = { drain: drain.signal, abort: new AbortController().signal };
  expect(await executeSamples(options(1, { retries: 5, runOne, signals }))).toEqual({
    stopped: 'interrupted',
  });
  expect(calls).toBe(1);
});

test('a journal that fails ends what is running, and is the error of the run', async () => {
  const broken = new Error('the journal is gone');
  const reasons: unknown[] = [];
  const runOne = (sample: PlannedSample, signal: AbortSignal): Promise<SampleOutcome> => {
    if (sample.index === 1) return Promise.reject(broken);
    return new Promise((resolve) =>
      signal.addEventListener('abort', () => {
        reasons.push(signal.reason);
        resolve(ended('interrupted'));
      }),
    );
  };
  await expect(executeSamples(options(4, { runOne }))).rejects.toBe(broken);
  expect(reasons).toEqual([broken]);
}, 30_000);

test('a journal that fails stops the run although every sample goes on as if nothing were', async () => {
  const journal = new AbortController();
  const broken = new Error('the disk is full');
  let calls = 0;
  const runOne = async (_: PlannedSample, signal: AbortSignal): Promise<SampleOutcome> => {
    if (++calls === 2) setImmediate(() => journal.abort(broken));
    if (calls === 2) await new Promise((resolve) => signal.addEventListener('abort', resolve));
    return ended('completed');
  };
  const run = options(9, { slots: new Slots(1), journalFailure: journal.signal, runOne });
  await expect(executeSamples(run)).rejects.toBe(broken);
  expect(calls).toBe(2);
}, 30_000);

test('a sample is pulled only when there is a slot for it', async () => {
  let pulled = 0;
  let done = 0;
  let most = 0;
  function* source() {
    for (const sample of plannedSamples(6)) {
      most = Math.max(most, ++pulled - done);
      yield sample;
    }
  }
  const runOne = async () => {
    await new Promise((resolve) => setImmediate(resolve));
    done++;
    return ended('completed');
  };
  expect(await executeSamples(options(6, { samples: source(), runOne }))).toEqual({});
  expect([pulled, most]).toEqual([6, 2]);
}, 30_000);

test('a source of samples that fails gives every slot back', async () => {
  const slots = new Slots(2);
  const broken = new Error('no more rows');
  async function* source() {
    yield* plannedSamples(3);
    throw broken;
  }
  await expect(executeSamples(options(9, { slots, samples: source() }))).rejects.toBe(broken);
  expect(freeSlots(slots)).toBe(2);
}, 30_000);

test.each([
  { failOnError: 0.5, failing: 2, stopped: undefined },
  { failOnError: 0.5, failing: 3, stopped: 'failed' },
  { failOnError: 2, failing: 1, stopped: undefined },
  { failOnError: 2, failing: 2, stopped: 'failed' },
  { failOnError: true, failing: 1, stopped: 'failed' },
  { failOnError: false, failing: 4, stopped: undefined },
])('$failing failures of 4 with failOnError $failOnError', async ({ failOnError, failing, stopped }) => {
  const runOne = async (sample: PlannedSample) => ended(sample.index < failing ? 'errored' : 'completed');
  const result = await executeSamples(options(4, { slots: new Slots(1), failOnError, runOne }));
  expect(result.stopped).toBe(stopped);
});

test('[CALL-2] a run whose calls all fail alike stops what is running, admits nothing more, and says why', async () => {
  const hopeless = new AbortController();
  const cause = new Error('nobody answers');
  let admitted = 0;
  const executed = await executeSamples(
    options(20, {
      hopeless: hopeless.signal,
      runOne: async (_sample, signal) => {
        admitted++;
        if (admitted === 4) hopeless.abort(cause);
        return ended(signal.aborted ? 'interrupted' : 'errored');
      },
    }),
  );
  expect(executed).toEqual({ stopped: 'failed', cause });
  expect(admitted).toBeLessThanOrEqual(5);
});
