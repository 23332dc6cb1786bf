import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createHarness, type Harness } from '../../test/run-harness.ts';
import { systemClock, systemRandom } from '../base/index.ts';
import { nodeDisk } from '../disk/index.ts';
import {
  command,
  defineEval,
  type EvalDefinition,
  exact,
  includes,
  modelGraded,
  normalizeEval,
} from '../evals/index.ts';
import { openLog, verifyLog } from '../log/index.ts';
import { createBudget, createModels, mockModel } from '../targets/index.ts';
import { type RescoreOptions, rescoreLog } from './rescore.ts';

let harness: Harness;
beforeEach(async () => {
  harness = await createHarness();
});
afterEach(() => harness.close());

const words = defineEval({
  name: 'words',
  data: [
    { id: 'a', input: 'alpha', target: 'ALPHA' },
    { id: 'b', input: 'beta', target: 'gamma' },
  ],
  target: ({ input }) => `${input.toUpperCase()}.`,
  scorers: [includes()],
});

const rescore = (from: string, definition: EvalDefinition, more: Partial<RescoreOptions> = {}) =>
  rescoreLog({
    disk: nodeDisk,
    clock: systemClock,
    random: systemRandom,
    code: undefined,
    from,
    to: join(harness.logDir, 'scored.eval'),
    eval: normalizeEval(definition),
    baseDir: harness.dir,
    models: createModels({
      env: {},
      concurrency: 1,
      scripted: { 'mock/grader': mockModel({ name: 'mock/grader', answers: ['GRADE: C'] }) },
    }),
    concurrency: 4,
    action: 'overwrite',
    signal: new AbortController().signal,
    ...more,
  });

const run = async (definition: Parameters<Harness['run']>[0]) =>
  (await harness.run(definition)).account.log ?? '';

describe('a log that is scored again', () => {
  test('has the new scores and results, and is whole; the old log is as it was', async () => {
    const log = await run(words);
    const report = await rescore(log, {
      ...words,
      scorers: [exact()],
      target: () => Promise.reject(new Error('never')),
    });
    expect(report).toMatchObject({ samples: 2, scored: 2, copied: 0 });
    const [score] = report.results.scores;
    expect(score).toMatchObject({ name: 'exact', metrics: { accuracy: { value: 0 } } });
    expect((await verifyLog(nodeDisk, report.logPath)).isWhole).toBe(true);
    for (const sample of await harness.samples(report.logPath))
      expect(Object.keys(sample.scores ?? {})).toEqual(['exact']);
    for (const sample of await harness.samples(log))
      expect(Object.keys(sample.scores ?? {})).toEqual(['includes']);
  });

  test('keeps the old scores with append, each under its own key', async () => {
    const log = await run(words);
    const { logPath, results } = await rescore(
      log,
      { ...words, scorers: [includes(), exact()] },
      { action: 'append' },
    );
    expect(results.scores.map(({ name }) => name)).toEqual(['includes', 'includes1', 'exact']);
    const [sample] = await harness.samples(logPath);
    expect(Object.keys(sample?.scores ?? {})).toEqual(['includes', 'includes1', 'exact']);
  });

  test('asks graders, counts what they used, and leaves their calls in the transcript', async () => {
    const log = await run(words);
    const graded = { ...words, scorers: [modelGraded({ model: 'mock/grader', rubric: 'any' })] };
    const { logPath } = await rescore(log, graded);
    const [sample] = await harness.samples(logPath);
    expect(sample?.events.some(({ event, model }) => event === 'model' && model === 'mock/grader')).toBe(
      true,
    );
    expect(sample?.model_usage['mock/grader']?.total_tokens).toBeGreaterThan(0);
    const reader = await openLog(nodeDisk, logPath);
    expect((await reader.header()).stats.model_usage['mock/grader']?.total_tokens).toBeGreaterThan(0);
    await reader.close();
  });

  test('keeps what graders answered when it is stopped, and a run of the eval takes the log for its own', async () => {
    const log = await run(words);
    const graded = defineEval({ ...words, scorers: [modelGraded({ model: 'mock/grader', rubric: 'any' })] });
    const abort = new AbortController();
    const asked: string[] = [];
    const grader = mockModel({
      name: 'mock/grader',
      respond: ({ text }) => {
        asked.push(text);
        return 'GRADE: C';
      },
    });
    const models = () => createModels({ env: {}, concurrency: 1, scripted: { 'mock/grader': grader } });
    const stopping = {
      models: models(),
      concurrency: 1,
      signal: abort.signal,
      onProgress: () => abort.abort(),
    };
    await expect(rescore(log, graded, stopping)).rejects.toThrow();
    expect(asked).toHaveLength(1);
    const { logPath } = await rescore(log, graded, { models: models() });
    expect(asked).toHaveLength(2);
    expect(await readdir(harness.stateDir)).not.toContainEqual(expect.stringMatching(/^\d{8}T/));
    const { account } = await harness.run(graded, { models: models() });
    expect(account).toMatchObject({ state: 'done', log: logPath, samples: { reused: 2 } });
    expect(asked).toHaveLength(2);
    const changed = defineEval({ ...graded, scorers: [...graded.scorers, exact()] });
    const again = await harness.run(changed, { models: models() });
    expect(again.account.samples).toMatchObject({ rescored: 2 });
    expect(asked).toHaveLength(2);
  });

  test('is scored several samples at a time, in their order, and stops at a budget that holds over all attempts', async () => {
    const rows = Array.from({ length: 9 }, (_, index) => ({
      id: index,
      input: `word ${index}`,
      target: 'word',
    }));
    const log = await run({ ...words, data: rows });
    const graded = defineEval({ ...words, scorers: [modelGraded({ model: 'mock/grader', rubric: 'any' })] });
    let [asked, underWay, most] = [0, 0, 0];
    const grader = mockModel({
      name: 'mock/grader',
      respond: async () => {
        asked++;
        most = Math.max(most, ++underWay);
        await sleep(20 - asked);
        underWay--;
        return 'GRADE: C';
      },
    });
    const models = (limitUsd?: number) =>
      createModels({
        env: {},
        concurrency: 3,
        scripted: { 'mock/grader': grader },
        prices: { 'mock/grader': { input: 0, output: 1_000_000 } },
        budget: createBudget(limitUsd),
      });
    const dear = { models: models(4), concurrency: 3 };
    await expect(rescore(log, graded, dear)).rejects.toMatchObject({ code: 'E_BUDGET_EXHAUSTED' });
    expect(most).toBe(3);
    const before = asked;
    expect(before).toBeLessThan(9);
    await expect(rescore(log, graded, { ...dear, models: models(4) })).rejects.toThrow('is spent');
    expect(asked).toBe(before);
    const { logPath } = await rescore(log, graded, { models: models(), concurrency: 3 });
    expect(asked).toBe(9);
    expect((await harness.samples(logPath)).map(({ id }) => id)).toEqual(rows.map(({ id }) => id));
    expect(await readdir(harness.stateDir)).not.toContainEqual(expect.stringMatching(/^\d{8}T/));
  });

  test('is a result of the eval only where models are reached as they were when it was scored', async () => {
    const other = defineEval({ ...words, scorers: [exact()] });
    const at = (address: string) =>
      createModels({ env: { OPENAI_BASE_URL: `http://${address}.test/v1` }, concurrency: 1 });
    const { account } = await harness.run(words, { models: at('a') });
    const { logPath } = await rescore(account.log ?? '', other, { models: at('a') });
    const there = await harness.run(other, { models: at('a') });
    expect(there.account).toMatchObject({ state: 'done', log: logPath, samples: { reused: 2, rescored: 0 } });
    const elsewhere = await harness.run(other, { models: at('b') });
    expect(elsewhere.account.samples.reused).toBe(0);
  });

  test('whose scores were joined by others is no result of a run: only its outputs are taken', async () => {
    const log = await run(words);
    await rescore(log, defineEval({ ...words, scorers: [exact()] }), { action: 'append' });
    const { account } = await harness.run(defineEval({ ...words, scorers: [exact()] }));
    expect(account.samples).toMatchObject({ reused: 0, rescored: 2 });
    for (const sample of await harness.samples(account.log)) {
      expect(Object.keys(sample.scores ?? {})).toEqual(['exact']);
      expect(sample.events.filter(({ event }) => event === 'score')).toHaveLength(1);
    }
  });

  test('gives scorers the output as the target returned it, and rows as the data has them', async () => {
    const typed = defineEval({
      name: 'typed',
      data: [{ id: 'a', input: { list: [1, 2] }, target: 3 }],
      target: ({ input }) => ({ sum: input.list.reduce((a, b) => a + b, 0) }),
      scorers: [({ output, target }) => output.sum === target],
    });
    const log = await run(typed);
    const strict = {
      ...typed,
      scorers: [({ output, input, target }) => output.sum === 3 && input.list.length === 2 && target === 3],
    } satisfies typeof typed;
    const { results } = await rescore(log, strict);
    expect(Object.values(results.scores[0]?.metrics ?? {})[0]?.value).toBe(1);
  });

  test('copies samples that ended with an error', async () => {
    const log = await run({
      ...words,
      target: ({ input }: { input: string }) => {
        if (input === 'beta') throw new Error('broke');
        return input;
      },
    });
    const report = await rescore(log, words);
    expect(report).toMatchObject({ scored: 1, copied: 1 });
    const samples = await harness.samples(report.logPath);
    expect(samples.find(({ id }) => id === 'b')?.error?.message).toBe('broke');
  });

  test('runs command scorers in a copy of the workspace, and leaves nothing behind', async () => {
    const agent = defineEval({
      name: 'agent',
      data: [{ id: 'a', input: 'x' }],
      target: { command: ['/bin/sh', '-c', 'cat > found.txt; echo done'] },
      scorers: [command({ command: ['/bin/sh', '-c', 'test -s found.txt'] })],
    });
    const log = await run(agent);
    const spoiling = { ...agent, scorers: [command({ command: ['/bin/rm', 'found.txt'] })] };
    const { results } = await rescore(log, spoiling);
    expect(Object.values(results.scores[0]?.metrics ?? {})[0]?.value).toBe(1);
    const again = await rescore(log, spoiling, { to: join(harness.logDir, 'again.eval') });
    expect(Object.values(again.results.scores[0]?.metrics ?? {})[0]?.value).toBe(1);
    const left = await readdir(join(harness.stateDir, 'work'));
    expect(left.filter((name) => name.startsWith('rescore'))).toEqual([]);
  });

  test('runs them in the folder of the last attempt, though there are many and other epochs', async () => {
    const agent = defineEval({
      name: 'agent',
      data: [{ id: 'a', input: 'x' }],
      target: { command: ['/bin/sh', '-c', 'echo 1-1 > found'] },
      scorers: [command({ command: ['/usr/bin/test', '-s', 'found'] })],
    });
    const { account } = await harness.run(agent);
    const attempts = join(harness.stateDir, 'work', account.runId, 'a');
    for (const name of ['1-2', '1-9', '1-10', '10-1', '11-11']) {
      await mkdir(join(attempts, name, 'workspace'), { recursive: true });
      await writeFile(join(attempts, name, 'workspace/found'), `${name}\n`);
    }
    const { results } = await rescore(account.log ?? '', {
      ...agent,
      scorers: [command({ command: ['/bin/sh', '-c', 'test $(cat found) = 1-10'] })],
    });
    expect(Object.values(results.scores[0]?.metrics ?? {})[0]?.value).toBe(1);
  });

  test('is not taken for a result of the eval itself', async () => {
    const log = await run(words);
    await rescore(log, { ...words, scorers: [exact()] });
    const { account } = await harness.run(words);
    expect(account).toMatchObject({ log, samples: { reused: 2 } });
  });

  test('is absent when it was interrupted, and overwrites nothing', async () => {
    const log = await run(words);
    const stopped = AbortSignal.abort(new Error('stopped'));
    await expect(rescore(log, words, { signal: stopped })).rejects.toThrow('stopped');
    expect(
      (await readdir(harness.logDir)).filter((name) => name.includes('scored') || name.includes('tmp')),
    ).toEqual([]);
    await rescore(log, words);
    await expect(rescore(log, words)).rejects.toThrow('exists already');
  });
});
