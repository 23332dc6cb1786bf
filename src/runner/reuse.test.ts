/** What is taken from earlier runs, and what is not, after something changed. */
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { countingModel, rows, stopAt, twoTurns } from '../../test/interrupted-run.ts';
import { createHarness, type Harness } from '../../test/run-harness.ts';
import { withMethods } from '../../test/sim/with-methods.ts';
import type { Digest } from '../base/index.ts';
import { nodeDisk } from '../disk/index.ts';
import { defineEval, exact, includes } from '../evals/index.ts';
import { openLog } from '../log/index.ts';
import { mockModel } from '../targets/index.ts';

let harness: Harness;
beforeEach(async () => {
  harness = await createHarness();
});
afterEach(() => harness.close());

describe('answers', () => {
  test('[LOG-37] [JRN-17] stand in every log beside their sample, also those that were given again', async () => {
    const { model } = countingModel();
    const first = await harness.run(twoTurns(2), { model });
    const second = await harness.run(defineEval({ ...twoTurns(2), version: 2 }), { model });
    expect(second.account.answers).toMatchObject({ bought: 0, replayed: 4 });
    const answersIn = async (path: string | undefined) => {
      const log = await openLog(nodeDisk, path ?? '');
      const answers = [];
      for await (const { kind, occurrence, from } of log.answers({ id: 'q0', epoch: 1 }))
        answers.push({ kind, occurrence, from });
      await log.close();
      return answers;
    };
    const own = { kind: 'model', occurrence: 0, from: undefined };
    expect(await answersIn(first.account.log)).toEqual([own, own]);
    const given = { ...own, from: first.account.runId };
    expect(await answersIn(second.account.log)).toEqual([given, given]);
  });

  test('[LOG-37] go along with an output that is scored anew: the log that it was taken from can go', async () => {
    const { model, asked } = countingModel();
    const first = await harness.run(twoTurns(2), { model });
    const scored = await harness.run(defineEval({ ...twoTurns(2), scorers: [exact()] }), { model });
    expect(scored.account.samples).toMatchObject({ rescored: 2 });
    rmSync(first.account.log ?? '');
    const changed = await harness.run(defineEval({ ...twoTurns(2), version: 2 }), { model });
    expect(changed.account).toMatchObject({ samples: { replayed: 2 }, answers: { bought: 0 } });
    expect(asked).toHaveLength(4);
  });

  test('of a sample that failed are not bought again: only the call that failed is', async () => {
    let isBroken = true;
    const asked: string[] = [];
    const model = mockModel({
      name: 'mock/scripted',
      respond: ({ text }) => {
        asked.push(text);
        if (isBroken && text.endsWith('9')) throw new Error('the server is away');
        return text;
      },
    });
    const definition = defineEval({
      name: 'ten-turns',
      data: rows(3),
      target: async ({ input }, { generate }) => {
        for (let turn = 0; turn < 10; turn++) await generate(`${input} ${turn}`);
        return input;
      },
      scorers: [includes()],
    });
    const first = await harness.run(definition, { model });
    expect(first.account.samples.errored).toBe(3);
    expect(first.account.usd.wasted).toBe(0);
    isBroken = false;
    asked.length = 0;
    const { account } = await harness.run(definition, { model });
    expect(account.samples).toMatchObject({ replayed: 3, errored: 0 });
    expect(asked.sort()).toEqual(['question 0 9', 'question 1 9', 'question 2 9']);
  });

  test('of a sample that is tried again in the same session, though no call failed, are bought anew', async () => {
    const { model, asked } = countingModel();
    let tries = 0;
    const definition = defineEval({
      ...twoTurns(1),
      retries: 1,
      target: async ({ input }, { generate }) => {
        const { text } = await generate(`${input} first`);
        if (tries++ === 0) throw new Error(`cannot use ${text}`);
        return text;
      },
    });
    const { account } = await harness.run(definition, { model });
    expect(account.samples.errored).toBe(0);
    expect(asked).toEqual(['question 0 first', 'question 0 first']);
  });

  test('[SEAL-6] of a run and of the log that lent it a sample are one union', async () => {
    const { model, asked } = countingModel();
    await stopAt(harness, 0, { which: [0, 1] });
    await harness.run(defineEval({ ...twoTurns([0, 1]), version: 2 }), { model });
    expect(asked).not.toContain('question 0 first');
    const later = countingModel();
    await harness.run(twoTurns([0, 1]), { model: later.model });
    expect(later.asked).toEqual([]);
  });
});

describe('a killed run', () => {
  test('whose scorer was edited buys nothing again', async () => {
    const { asked } = await stopAt(harness, 2);
    const later = countingModel();
    const edited = defineEval({ ...twoTurns(3), scorers: [exact()] });
    const { account } = await harness.run(edited, { model: later.model });
    expect(account.samples).toMatchObject({ rescored: 2, replayed: 1 });
    expect(later.asked).toEqual(['question 2 second']);
    expect(asked).toHaveLength(6);
  });
});

describe('limits', () => {
  test('that ended samples of an interrupted run are part of what was asked: with another they run again, from their answers', async () => {
    const abort = new AbortController();
    const stopping = countingModel((question) => {
      if (question !== 'question 3 first') return false;
      setImmediate(() => abort.abort());
      return true;
    });
    const limited = (turns: number) => defineEval({ ...twoTurns(4), limits: { turns } });
    const signals = { drain: new AbortController().signal, abort: abort.signal };
    const first = await harness.run(limited(1), { model: stopping.model, signals, concurrency: 1 });
    expect(first.account).toMatchObject({ state: 'interrupted' });
    const { model, asked } = countingModel();
    const wide = await harness.run(limited(9), { model });
    expect(wide.account).toMatchObject({ state: 'done', samples: { planned: 4, remaining: 0, lost: 0 } });
    for (const { limit } of await harness.samples(wide.account.log)) expect(limit).toBeUndefined();
    const bought = stopping.asked.filter((question) => question.endsWith('first')).length;
    expect(bought).toBeGreaterThan(1);
    // Only what nobody had asked before: what the stopped one was still waiting for is asked again.
    expect(asked.length).toBeLessThanOrEqual(8 - bought + 1);
  });

  const limited = (tokens: number) => defineEval({ ...twoTurns(2), limits: { tokens } });

  test('that ended a sample are part of what was asked for; others are not', async () => {
    const { model, asked } = countingModel();
    const first = await harness.run(limited(5), { model });
    expect((await harness.samples(first.account.log))[0]?.limit).toMatchObject({ type: 'token' });
    const wide = await harness.run(limited(5_000), { model });
    expect(wide.account.samples).toMatchObject({ reused: 0, replayed: 2 });
    expect((await harness.samples(wide.account.log))[0]?.limit).toBeUndefined();
    expect((await harness.run(limited(6_000), { model })).account.samples).toMatchObject({ reused: 2 });
    expect(new Set(asked).size).toBe(asked.length);
    // A sample ends where it would have ended, and buys nothing for that.
    const narrow = await harness.run(limited(5), { model });
    expect((await harness.samples(narrow.account.log))[0]?.limit).toMatchObject({ type: 'token' });
    expect(new Set(asked).size).toBe(asked.length);
  });
});

describe('--reuse=any', () => {
  test('lends to the run that asks for it, and to no later one', async () => {
    const { model, asked } = countingModel();
    await harness.run(twoTurns(2), { model });
    const changed = defineEval({
      ...twoTurns(2),
      target: async ({ input }, { generate }) => (await generate(`${input} only`)).text,
    });
    const any = await harness.run(changed, { model, reuse: 'any' });
    expect(any.account.samples).toMatchObject({ reused: 2 });
    expect(asked).toHaveLength(4);
    const plain = await harness.run(changed, { model });
    expect(plain.account.samples).toMatchObject({ reused: 0, rescored: 0, fresh: 2 });
    expect(asked).toHaveLength(6);
  });
});

describe('--fresh', () => {
  test('lasts over an interruption and the command that goes on', async () => {
    await harness.run(twoTurns(3), { model: countingModel().model });
    const { outcome } = await stopAt(harness, 2, { reuse: 'none' });
    expect(outcome.account.samples).toMatchObject({ fresh: 2, reused: 0 });
    const later = countingModel();
    const { account } = await harness.run(twoTurns(3), { model: later.model });
    expect(account).toMatchObject({ runId: outcome.account.runId, samples: { kept: 2, reused: 0 } });
    expect(later.asked).toEqual(['question 2 second']);
  });
});

test('--fresh takes what the same command bought in an attempt before, and nothing else', async () => {
  const { model, asked } = countingModel();
  await harness.run(twoTurns(2), { model });
  let isBroken = true;
  const failing = defineEval({
    ...twoTurns(2),
    version: 0,
    filter: () => true,
    scorers: [includes()],
    target: async ({ input, id }, { generate }) => {
      await generate(`${input} first`);
      if (isBroken && id === 'q1') throw new Error('broken');
      return (await generate(`${input} second`)).text;
    },
  });
  const first = await harness.run(failing, { model, reuse: 'none' });
  expect(first.account.samples).toMatchObject({ fresh: 2, errored: 1 });
  isBroken = false;
  asked.length = 0;
  const ownRuns = new Set([first.account.runId]);
  const { account } = await harness.run(failing, { model, reuse: 'none', ownRuns });
  expect(account.samples).toMatchObject({ reused: 1, replayed: 1, errored: 0 });
  expect(asked).toEqual(['question 1 second']);
});

describe('--keep-outputs', () => {
  test('scores what is there, although the code of the target has changed, and says what made it', async () => {
    let runs = 0;
    const unrecorded = (word: string) =>
      defineEval({
        name: 'unrecorded',
        version: word,
        data: rows(2),
        target: ({ input }) => {
          runs++;
          return `${word} ${input}`;
        },
        scorers: [includes()],
      });
    await harness.run(unrecorded('one'));
    const kept = await harness.run(unrecorded('two'), { keepOutputs: true });
    expect(kept.account.samples).toMatchObject({ rescored: 2 });
    expect(runs).toBe(2);
    const outputs = (await harness.samples(kept.account.log)).map(({ output }) => output.completion);
    expect(outputs).toEqual(['one question 0', 'one question 1']);
    // What other code made is never taken for what this code makes.
    const ran = await harness.run(unrecorded('two'));
    expect(ran.account.samples).toMatchObject({ reused: 0, rescored: 0 });
    expect(runs).toBe(4);
    expect(ran.account.notes.join()).toContain('2 samples that it runs again recorded no call before');
    expect(ran.account.notes.join()).toContain('--keep-outputs');
  });
});

describe('inputs', () => {
  test('count as code does, and must be there', async () => {
    const file = join(harness.dir, 'prompt.txt');
    const reading = defineEval({ ...twoTurns(1), inputs: ['prompt.txt'] });
    const { model, asked } = countingModel();
    await expect(harness.run(reading, { model })).rejects.toMatchObject({ code: 'E_INPUT_MISSING' });
    writeFileSync(file, 'Be brief');
    await harness.run(reading, { model });
    expect((await harness.run(reading, { model })).account.samples).toMatchObject({ reused: 1 });
    writeFileSync(file, 'Be kind');
    expect((await harness.run(reading, { model })).account.samples).toMatchObject({ reused: 0, replayed: 1 });
    expect(asked).toHaveLength(2);
  });
});

test('inputs that are symbolic links, or hold some, count by what is behind them', async () => {
  const [shared, prompts] = [join(harness.dir, 'shared'), join(harness.dir, 'prompts')];
  for (const dir of [shared, prompts]) mkdirSync(dir);
  mkdirSync(join(shared, 'more'));
  writeFileSync(join(shared, 'a.txt'), 'Be brief');
  writeFileSync(join(shared, 'more/b.txt'), 'Be kind');
  symlinkSync('../shared/a.txt', join(prompts, 'a.txt'));
  symlinkSync(join(shared, 'more'), join(prompts, 'more'));
  symlinkSync('..', join(shared, 'more/loop'));
  symlinkSync('nowhere', join(prompts, 'gone'));
  symlinkSync('itself', join(prompts, 'itself'));
  const reading = defineEval({ ...twoTurns(1), inputs: ['prompts'] });
  const { model, asked } = countingModel();
  const samples = async () => (await harness.run(reading, { model })).account.samples;
  await samples();
  expect(await samples()).toMatchObject({ reused: 1 });
  writeFileSync(join(shared, 'a.txt'), 'Be long');
  expect(await samples()).toMatchObject({ reused: 0, replayed: 1 });
  writeFileSync(join(shared, 'more/b.txt'), 'Be rude');
  expect(await samples()).toMatchObject({ reused: 0, replayed: 1 });
  expect(asked).toHaveLength(2);
});

describe('code', () => {
  const code = (target: string, scoring: string, later: Record<string, string> = {}, now = later) => ({
    target: target as Digest,
    scoring: scoring as Digest,
    later: async () => later as Record<string, Digest>,
    moduleNow: async (name: string) => now[name] as Digest | undefined,
  });

  test('of the target and of the scorers count each for its own', async () => {
    const { model, asked } = countingModel();
    await harness.run(twoTurns(2), { model, code: code('t', 's') });
    const again = (one: ReturnType<typeof code>) => harness.run(twoTurns(2), { model, code: one });
    expect((await again(code('t', 's'))).account.samples).toMatchObject({ reused: 2 });
    expect((await again(code('t', 's2'))).account.samples).toMatchObject({ rescored: 2 });
    expect((await again(code('t2', 's2'))).account.samples).toMatchObject({ replayed: 2 });
    expect(asked).toHaveLength(4);
  });

  test('that was imported while a sample ran counts, too', async () => {
    const { model } = countingModel();
    const run = (then: Record<string, string>, now: Record<string, string>) =>
      harness.run(twoTurns(1), { model, code: code('t', 's', then, now) });
    await run({ 'x.ts': '1' }, {});
    expect((await run({}, { 'x.ts': '1' })).account.samples).toMatchObject({ reused: 1 });
    expect((await run({}, { 'x.ts': '2' })).account.samples).toMatchObject({ reused: 0, replayed: 1 });
  });

  test('that was imported while a sample ran counts in the run’s own journal, too', async () => {
    const stop = () => stopAt(harness, 2, { code: code('t', 's', { 'x.ts': '1' }, {}) });
    const { outcome } = await stop();
    expect(outcome.account.samples).toMatchObject({ fresh: 2 });
    const { model, asked } = countingModel();
    const now = code('t', 's', {}, { 'x.ts': '2' });
    const { account } = await harness.run(twoTurns(3), { model, code: now });
    expect(account.samples).toMatchObject({ kept: 0, reused: 0, replayed: 3 });
    expect(asked).toEqual(['question 2 second']);
  });

  test('that says what it said lets an interrupted run go on', async () => {
    const { outcome } = await stopAt(harness, 2, { code: code('t', 's', { 'x.ts': '1' }, {}) });
    const { model, asked } = countingModel();
    const { account } = await harness.run(twoTurns(3), { model, code: code('t', 's', {}, { 'x.ts': '1' }) });
    expect(account).toMatchObject({ runId: outcome.account.runId, samples: { kept: 2 } });
    expect(asked).toEqual(['question 2 second']);
  });

  test('that was imported in many modules is known as well as in one', async () => {
    const many = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`lib/module-${n}.ts`, `${n}`]));
    const { model, asked } = countingModel();
    const run = (now: Record<string, string>) =>
      harness.run(twoTurns(2), { model, code: code('t', 's', many, now) });
    await run({});
    expect((await run(many)).account.samples).toMatchObject({ reused: 2 });
    const changed = { ...many, 'lib/module-7.ts': 'x' };
    expect((await run(changed)).account.samples).toMatchObject({ reused: 0, replayed: 2 });
    expect(asked).toHaveLength(4);
  });

  test('that a scorer imported counts from then on', async () => {
    const { model } = countingModel();
    const run = (scoring: string, then: Record<string, string>, now: Record<string, string>) =>
      harness.run(twoTurns(1), { model, code: code('t', scoring, then, now) });
    await run('s', {}, {});
    expect((await run('s2', { 'x.ts': '1' }, {})).account.samples).toMatchObject({ rescored: 1 });
    expect((await run('s2', {}, { 'x.ts': '1' })).account.samples).toMatchObject({ reused: 1 });
    expect((await run('s2', {}, { 'x.ts': '2' })).account.samples).toMatchObject({ reused: 0 });
  });
});

test('metrics and reducers are no part of a sample: it is kept, and the log is made anew', async () => {
  const { model, asked } = countingModel();
  const first = await harness.run(twoTurns(2), { model });
  const other = await harness.run(defineEval({ ...twoTurns(2), metrics: ['mean'] }), { model });
  expect(other.account.samples).toMatchObject({ reused: 2 });
  expect(other.account.log).not.toBe(first.account.log);
  expect(Object.keys(other.results?.scores[0]?.metrics ?? {})).toEqual(['mean']);
  expect(asked).toHaveLength(4);
  expect((await harness.run(twoTurns(2), { model })).account.log).toBe(first.account.log);
});

test('every sample of a mixed log says what became of it, and from which run', async () => {
  const { model } = countingModel();
  const madeIn = async (path = '') => {
    const log = await openLog(nodeDisk, path);
    const made: unknown[] = [];
    for await (const { metadata } of log.summaries()) made.push(metadata.holdfast);
    await log.close();
    return made;
  };
  const first = await harness.run(twoTurns(2), { model });
  const mixed = await harness.run(twoTurns(3), { model });
  expect(await madeIn(mixed.account.log)).toMatchObject([
    { made: { how: 'kept', from: first.account.runId } },
    { made: { how: 'kept', from: first.account.runId } },
    { made: { how: 'bought', bought: 2, replayed: 0 } },
  ]);
  // Handed on from log to log, a sample is still of the run that made it.
  rmSync(first.account.log ?? '');
  const third = await harness.run(twoTurns(4), { model });
  expect(await madeIn(third.account.log)).toMatchObject([
    { made: { how: 'kept', from: first.account.runId } },
    { made: { how: 'kept', from: first.account.runId } },
    { made: { how: 'kept', from: mixed.account.runId } },
    { made: { how: 'bought' } },
  ]);
});

test('a log that did not change is not opened again to look for samples', async () => {
  const { model } = countingModel();
  let last = '';
  for (const n of [1, 2, 3]) last = basename((await harness.run(twoTurns([n]), { model })).account.log ?? '');
  const opened: string[] = [];
  const { logs } = harness.places;
  const watching = withMethods(logs, {
    open: (name) => {
      opened.push(name);
      return logs.open(name);
    },
  });
  const { account } = await harness.run(twoTurns([3]), {
    model,
    places: { ...harness.places, logs: watching },
  });
  expect(account.samples).toMatchObject({ reused: 1 });
  expect(basename(account.log ?? '')).toBe(last);
  expect(new Set(opened)).toEqual(new Set([last]));
});
