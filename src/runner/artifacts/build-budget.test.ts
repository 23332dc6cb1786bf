import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createHarness, type Harness } from '../../../test/run-harness.ts';
import { UsageError } from '../../base/index.ts';
import { type Disk, nodeDisk } from '../../disk/index.ts';
import { defineArtifact, type EvalDefinition } from '../../evals/index.ts';
import { createBudget, createModels, mockModel } from '../../targets/index.ts';

let harness: Harness;
beforeEach(async () => {
  harness = await createHarness();
});
afterEach(() => harness.close());

/** Each call costs as much as the other. */
const CALL_USD = 1;
const models = (limitUsd: number) =>
  createModels({
    env: {},
    concurrency: 4,
    budget: createBudget(limitUsd),
    retry: { retriesMax: 0 },
    prices: { 'mock/scripted': { input: CALL_USD, output: 0 } },
    scripted: {
      'mock/scripted': mockModel({
        respond: ({ text }) => ({
          text: `answer to ${text}`,
          usage: { inputTokens: 1_000_000, outputTokens: 0 },
        }),
      }),
    },
  });

const learned = (key: string, before: (key: string) => void = () => undefined) =>
  defineArtifact({
    kind: 'learned',
    key,
    version: 1,
    model: 'mock/scripted',
    build: async ({ dir, generate }) => {
      before(key);
      writeFileSync(join(dir, 'learned.txt'), (await generate(`learn ${key}`)).text);
    },
  });

function definition(
  name: string,
  more: Partial<EvalDefinition<string, string, string>> = {},
): EvalDefinition<string, string, string> {
  return {
    name,
    data: ['a', 'b'].map((input, at) => ({ id: at + 1, input })),
    requires: ({ input }) => learned(input),
    target: async ({ input }, { artifact, generate }) => {
      const known = readFileSync(join(artifact(learned(input)), 'learned.txt'), 'utf8');
      return (await generate({ model: 'mock/scripted', prompt: `with ${known}` })).text;
    },
    scorers: [],
    ...more,
  };
}

/** Both builds are made, and then the money is spent: no sample runs. */
async function stopped() {
  const { account } = await harness.run(definition('one'), { models: models(2) });
  expect(account).toMatchObject({ state: 'budget', budget: { spentUsd: 2 }, samples: { remaining: 2 } });
  return account;
}

test('what builds of earlier attempts at a run cost counts towards its budget, as what samples cost does', async () => {
  const { runId } = await stopped();
  const second = await harness.run(definition('one'), { models: models(2) });
  expect(second.account).toMatchObject({ runId, state: 'budget', budget: { spentUsd: 2 } });
  expect(second.account.samples.remaining).toBe(2);
  const third = await harness.run(definition('one'), { models: models(4) });
  expect(third.account).toMatchObject({ runId, state: 'done', budget: { spentUsd: 4 } });
});

test('what builds of another run had cost does not', async () => {
  await stopped();
  const { account } = await harness.run(definition('another'), { models: models(2) });
  expect(account).toMatchObject({ state: 'done', budget: { spentUsd: 2 } });
});

test('a run that is begun anew pays for itself alone', async () => {
  await stopped();
  const other = definition('one', { version: 2 });
  const { account } = await harness.run(other, { models: models(2) });
  expect(account).toMatchObject({ state: 'done', budget: { spentUsd: 2 } });
});

test('builds count also when the attempt ended before there was a run; and once the run is there, in no other', async () => {
  const wrong = definition('one', {
    requires: ({ input }) =>
      learned(input, (key) => {
        if (key === 'b')
          throw new UsageError({ code: 'E_EVAL_INVALID', message: 'It is wrong.', hint: 'Correct it.' });
      }),
  });
  await expect(harness.run(wrong, { models: models(100) })).rejects.toMatchObject({ code: 'E_EVAL_INVALID' });
  const second = await harness.run(definition('one'), { models: models(2) });
  expect(second.account).toMatchObject({ state: 'budget', budget: { spentUsd: 2 } });
  const third = await harness.run(definition('one'), { models: models(10) });
  expect(third.account).toMatchObject({ state: 'done', budget: { spentUsd: 4 } });
  expect(readdirSync(join(harness.dir, 'artifacts/unclaimed'))).toEqual([]);
  const again = await harness.run(definition('one', { version: 2 }), { models: models(10) });
  // Its samples have their answers on record, and the builds were another run's.
  expect(again.account).toMatchObject({ state: 'done', budget: { spentUsd: 0 } });
});

test('several attempts of one command count a build once', async () => {
  const shared = models(100);
  let isBroken = true;
  const target = async ({ input }: { readonly input: string }) => {
    if (isBroken) throw new Error('it is broken');
    return input;
  };
  const first = await harness.run(definition('one', { target, failOnError: true }), { models: shared });
  expect(first.account).toMatchObject({ state: 'failed', budget: { spentUsd: 2 } });
  isBroken = false;
  const second = await harness.run(definition('one', { target, failOnError: true }), { models: shared });
  expect(second.account).toMatchObject({
    runId: first.account.runId,
    state: 'done',
    budget: { spentUsd: 2 },
  });
});

describe('when a build was stopped, and what is pinned changes with the next attempt', () => {
  /** The second is made of the first: with money for one call, the first is built and the second is not. */
  const staged = (key: string) =>
    key === 'a'
      ? learned('a')
      : defineArtifact({
          kind: 'learned',
          key,
          version: 1,
          model: 'mock/scripted',
          inputs: { first: learned('a') },
          build: async ({ dir, generate }) =>
            writeFileSync(join(dir, 'learned.txt'), (await generate(`learn ${key}`)).text),
        });
  const inStages = definition('one', {
    requires: ({ input }) => staged(input),
    target: async ({ input }, { artifact, generate }) => {
      const known = readFileSync(join(artifact(staged(input)), 'learned.txt'), 'utf8');
      return (await generate({ model: 'mock/scripted', prompt: `with ${known}` })).text;
    },
  });

  async function stoppedInBetween() {
    const { account } = await harness.run(inStages, { models: models(1) });
    expect(account).toMatchObject({ state: 'budget', budget: { spentUsd: 1 } });
    expect(account.artifacts?.unavailable).toMatchObject([{ unit: 'learned/b', isStopped: true }]);
    return account;
  }

  test('what builds had cost counts in all attempts after it', async () => {
    const first = await stoppedInBetween();
    const second = await harness.run(inStages, { models: models(2) });
    expect(second.account).toMatchObject({ state: 'budget', budget: { spentUsd: 2 } });
    expect(second.account.runId).not.toBe(first.runId);
    for (let attempt = 3; attempt <= 4; attempt++) {
      const { account } = await harness.run(inStages, { models: models(2) });
      expect(account).toMatchObject({ state: 'budget', budget: { spentUsd: 2 }, samples: { remaining: 2 } });
    }
    const last = await harness.run(inStages, { models: models(4) });
    expect(last.account).toMatchObject({ state: 'done', budget: { spentUsd: 4 } });
    expect(readdirSync(join(harness.dir, 'artifacts/unclaimed'))).toEqual([]);
  });

  test('also when the attempt dies after the earlier run has its log, and before there is a new one', async () => {
    const { runId } = await stoppedInBetween();
    const { state } = harness.places;
    const dying: Disk = new Proxy(nodeDisk, {
      get: (disk, name) =>
        name === 'makeDir'
          ? async (path: string) => {
              const isNewRun = dirname(path) === dirname(state.runDir(runId)) && path !== state.runDir(runId);
              if (isNewRun) throw new Error('the machine is gone');
              await disk.makeDir(path);
            }
          : Reflect.get(disk, name, disk),
    });
    await expect(harness.run(inStages, { models: models(2), disk: dying })).rejects.toThrow('is gone');
    expect(existsSync(state.runDir(runId))).toBe(false);
    const { account } = await harness.run(inStages, { models: models(2) });
    expect(account).toMatchObject({ state: 'budget', budget: { spentUsd: 2 }, samples: { remaining: 2 } });
  });
});
