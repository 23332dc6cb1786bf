/** Several attempts of one command: one account, one budget. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { damageFirstAnswer, damageFirstAttempt, rows } from '../../test/interrupted-run.ts';
import { withMethods } from '../../test/sim/with-methods.ts';
import { systemClock } from '../base/index.ts';
import { nodeDisk } from '../disk/index.ts';
import { defineArtifact, defineEval, type EvalDefinition, includes } from '../evals/index.ts';
import { openLog } from '../log/index.ts';
import { mockModel } from '../targets/index.ts';
import { type RunEvalsOptions, type RunWatch, runEvals } from './run-evals.ts';

let dir = '';
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'holdfast-set-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

/** The pauses between attempts are of no interest here. */
const clock = withMethods(systemClock, {
  sleep: (ms, signal) => systemClock.sleep(ms === 5_000 || ms === 10_000 || ms === 20_000 ? 1 : ms, signal),
});

/** Ten samples of two dollars each, of which some fail once after their answer came. */
function failing(ids: readonly string[]) {
  const asked: string[] = [];
  const failed = new Set<string>();
  const model = mockModel({
    name: 'mock/paid',
    respond: ({ text }) => {
      asked.push(text);
      return { text, usage: { inputTokens: 1_000, outputTokens: 1_000 } };
    },
  });
  const definition = defineEval({
    name: 'attempts',
    data: rows(10),
    models: { 'mock/paid': model },
    target: async ({ id, input }, { generate }) => {
      const { text } = await generate(input);
      if (ids.includes(String(id)) && !failed.has(String(id))) {
        failed.add(String(id));
        throw new Error('a bad moment');
      }
      return text;
    },
    scorers: [includes()],
    concurrency: 1,
  });
  return { definition, asked };
}

async function attempts(definition: EvalDefinition, more: Partial<RunEvalsOptions>) {
  return (await attemptsOf(definition, more))[0];
}

function attemptsOf(definition: EvalDefinition, more: Partial<RunEvalsOptions>, watch?: RunWatch) {
  const options = {
    evals: [{ definition, baseDir: dir }],
    models: ['mock/paid'],
    changes: { failOnError: true },
    prices: { 'mock/paid': { input: 1_000, output: 1_000 } },
    workDir: dir,
    env: {},
    attempts: 4,
    version: 'test',
    clock,
    ...more,
  };
  return runEvals(options, watch);
}

const sum = (samples: Readonly<Record<string, number>> = {}) =>
  ['kept', 'reused', 'replayed', 'rerun', 'fresh', 'remaining'].reduce(
    (total, key) => total + (samples[key] ?? 0),
    0,
  );

test('[BUD-4] what one attempt spent is not counted again by the next: the budget lasts for all samples', async () => {
  const { definition, asked } = failing(['q5', 'q7']);
  const outcome = await attempts(definition, { budgetUsd: 21 });
  expect(outcome?.account).toMatchObject({
    state: 'done',
    samples: { planned: 10, fresh: 8, replayed: 2, errored: 0, remaining: 0, lost: 0 },
    // What the second attempt did not have to buy, the first had bought.
    usd: { spent: 20, saved: 0, wasted: 0 },
    tokens: { saved: 0 },
    answers: { bought: 10 },
  });
  expect(asked).toHaveLength(10);
});

test('[BUD-4] a budget that is spent in a later attempt stops there, and the samples add up', async () => {
  const { definition, asked } = failing(['q5', 'q7']);
  const { account } = (await attempts(definition, { budgetUsd: 17 })) ?? {};
  expect(account).toMatchObject({ state: 'budget', samples: { planned: 10, remaining: 1, lost: 0 } });
  expect(sum({ ...account?.samples })).toBe(10);
  expect(asked).toHaveLength(9);
});

test('a set that stopped at its budget is not gone through again', async () => {
  const { definition, asked } = failing([]);
  const told: number[] = [];
  const onNextAttempt = (attempt: number) => void told.push(attempt);
  const [outcome] = await attemptsOf(definition, { budgetUsd: 5 }, { onNextAttempt });
  expect(outcome?.account).toMatchObject({ state: 'budget', samples: { remaining: 7 } });
  expect(told).toEqual([]);
  expect(asked).toHaveLength(3);
});

test("an eval's own budget counts every attempt of the command, and no answer twice", async () => {
  const { definition, asked } = failing(['q5', 'q7']);
  const outcome = await attempts(defineEval({ ...definition, budgetUsd: 21 }), {});
  expect(outcome?.account).toMatchObject({ state: 'done', samples: { fresh: 8, replayed: 2 } });
  expect(asked).toHaveLength(10);
});

test('what failed and was sealed is run again by the next attempt, and every sample is counted once', async () => {
  const { definition } = failing(['q5', 'q7']);
  const { account } = (await attempts(definition, { changes: {} })) ?? {};
  expect(account).toMatchObject({
    state: 'done',
    samples: { planned: 10, fresh: 8, replayed: 2, reused: 0, remaining: 0 },
  });
  expect(sum({ ...account?.samples })).toBe(10);
});

test('the errors of a sample are told in their order, those of a log before those of the run that goes on', async () => {
  let tries = 0;
  const definition = defineEval({
    name: 'stubborn',
    data: rows(1),
    target: () => {
      if (++tries < 4) throw new Error(`try ${tries}`);
      return 'answer 0';
    },
    scorers: [includes()],
  });
  const { account } =
    (await attempts(definition, { models: [], attempts: 2, changes: { retries: 1 } })) ?? {};
  const log = await openLog(nodeDisk, account?.log ?? '');
  const { error_retries: errors } = (await log.sampleFields('q0', 1)) ?? {};
  await log.close();
  expect(errors?.map(({ message }) => message)).toEqual(['try 1', 'try 2', 'try 3']);
});

test('a metric of which nothing was scored misses its threshold, and one that just reaches it does not', async () => {
  const definition = (value: number) =>
    defineEval({
      name: `gate ${value}`,
      data: rows(1),
      target: () => 'answer 0',
      scorers: [() => value],
      threshold: { accuracy: 0.5 },
    });
  const missed = async (value: number) => (await attempts(definition(value), { models: [] }))?.missed;
  expect(await missed(Number.NaN)).toEqual(['accuracy is NaN, below 0.5']);
  expect(await missed(0.5)).toEqual([]);
});

test('who stops it while it waits for the next attempt is not kept waiting', async () => {
  const drain = new AbortController();
  const endless = withMethods(systemClock, {
    sleep: (ms, signal) => systemClock.sleep(ms === 5_000 ? 2 ** 31 - 1 : ms, signal),
  });
  const { definition, asked } = failing(['q5']);
  const signals = { drain: drain.signal, abort: new AbortController().signal };
  const [outcome] = await attemptsOf(
    definition,
    { clock: endless },
    {
      signals,
      onNextAttempt: () => setImmediate(() => drain.abort()),
    },
  );
  expect(outcome?.account).toMatchObject({ state: 'failed', samples: { errored: 1 } });
  expect(asked).toHaveLength(6);
});

test('damage that only the first attempt met stays in the account', async () => {
  const stopped = await attempts(failing(['q5']).definition, { attempts: 1 });
  expect(stopped?.account?.state).toBe('failed');
  const stateDir = join(dir, 'logs/.holdfast');
  await damageFirstAttempt({ stateDir }, stopped?.account?.runId ?? '');
  const { account } = (await attempts(failing(['q8']).definition, { changes: {} })) ?? {};
  expect(account).toMatchObject({ state: 'done', samples: { planned: 10, kept: 4, lost: 0, remaining: 0 } });
  expect(account?.damage?.join()).toContain('is damaged');
  expect(sum({ ...account?.samples })).toBe(10);
});

test('an answer that was lost is lost once, with its price, however many attempts find it missing', async () => {
  const stopped = await attempts(failing(['q5']).definition, { attempts: 1 });
  const stateDir = join(dir, 'logs/.holdfast');
  await damageFirstAnswer({ stateDir }, stopped?.account?.runId ?? '');
  const { account } = (await attempts(failing(['q7', 'q8']).definition, {})) ?? {};
  expect(account).toMatchObject({ state: 'done', answers: { lost: 1 }, usd: { lost: 2 } });
});

test('artifacts that an earlier attempt built are told as built, with their price, and count once', async () => {
  const { definition } = failing(['q5']);
  const learned = defineArtifact({
    ...{ kind: 'learned', key: 'x', version: 1, model: 'mock/paid' },
    build: async ({ dir: folder, generate }) =>
      writeFile(join(folder, 'x.txt'), (await generate('learn')).text),
  });
  const outcome = await attempts(defineEval({ ...definition, requires: learned }), { budgetUsd: 100 });
  expect(outcome?.account).toMatchObject({ state: 'done', budget: { spentUsd: 22 } });
  expect(outcome?.account?.artifacts).toMatchObject({
    ...{ spentUsd: 2, spentTokens: 2_000, reused: 0, savedUsd: 0 },
    built: [{ unit: 'learned/x' }],
  });
});
