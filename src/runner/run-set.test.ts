/** Several attempts of one command: one account, one budget. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { damageFirstAttempt, rows } from '../../test/interrupted-run.ts';
import { withMethods } from '../../test/sim/with-methods.ts';
import { systemClock } from '../base/index.ts';
import { defineEval, includes } from '../evals/index.ts';
import { mockModel } from '../targets/index.ts';
import { type RunEvalsOptions, runEvals } from './run-evals.ts';

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

async function attempts(
  definition: ReturnType<typeof failing>['definition'],
  more: Partial<RunEvalsOptions>,
) {
  const [outcome] = await runEvals({
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
  });
  return outcome;
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
    usd: { spent: 20, wasted: 0 },
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
