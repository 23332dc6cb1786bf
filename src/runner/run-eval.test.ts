import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { countingModel, rows, twoTurns } from '../../test/interrupted-run.ts';
import { createHarness, type Harness } from '../../test/run-harness.ts';
import { directoryBucket } from '../bucket/index.ts';
import { nodeDisk } from '../disk/index.ts';
import { defineEval, includes, scorer } from '../evals/index.ts';
import { openLog } from '../log/index.ts';
import { ACCOUNT_KEY } from '../seal/index.ts';

let harness: Harness;
beforeEach(async () => {
  harness = await createHarness();
});
afterEach(() => harness.close());

test('a run ends in a log with every sample, and the same run again does nothing', async () => {
  const { model, asked } = countingModel();
  const first = await harness.run(twoTurns(5), { model });
  expect(first.account).toMatchObject({
    state: 'done',
    samples: { planned: 5, fresh: 5, lost: 0, remaining: 0 },
  });
  expect(first.results?.scores[0]?.metrics.accuracy?.value).toBe(1);
  expect(asked).toHaveLength(10);
  const samples = await harness.samples(first.account.log);
  expect(samples.map(({ id }) => id)).toEqual(['q0', 'q1', 'q2', 'q3', 'q4']);
  expect(samples[0]?.messages.at(-1)).toMatchObject({ role: 'assistant', content: 'answer 0 second' });

  const again = await harness.run(twoTurns(5), { model });
  expect(again.account).toMatchObject({
    state: 'done',
    log: first.account.log,
    samples: { reused: 5, fresh: 0 },
  });
  expect(asked).toHaveLength(10);
  expect((await readdir(harness.logDir)).filter((name) => name.endsWith('.eval'))).toHaveLength(1);
});

describe('interrupted', () => {
  const stopWhenAsked = async (text: string, count = 4) => {
    const abort = new AbortController();
    const { model, asked } = countingModel((question) => {
      if (question === text) setImmediate(() => abort.abort());
      return question === text;
    });
    const signals = { drain: new AbortController().signal, abort: abort.signal };
    const outcome = await harness.run(twoTurns(count), { model, signals, concurrency: 2 });
    return { outcome, asked };
  };

  test('an interrupted run goes on in the same journal, and replays what was answered', async () => {
    const { outcome, asked } = await stopWhenAsked('question 1 second');
    expect(outcome.account.state).toBe('interrupted');
    expect(outcome.account.samples.lost).toBe(0);

    const later = countingModel();
    const resumed = await harness.run(twoTurns(4), { model: later.model });
    expect(resumed.account).toMatchObject({
      state: 'done',
      runId: outcome.account.runId,
      samples: { lost: 0, remaining: 0 },
    });
    expect(resumed.account.samples.replayed).toBeGreaterThanOrEqual(1);
    const answeredBefore = asked.filter((text) => text !== 'question 1 second');
    expect(later.asked.filter((text) => answeredBefore.includes(text))).toEqual([]);
    const samples = await harness.samples(resumed.account.log);
    expect(samples.map(({ scores }) => scores?.includes?.value)).toEqual(['C', 'C', 'C', 'C']);
    expect(samples[1]?.events.filter(({ event }) => event === 'model')).toHaveLength(2);
  });

  test('a dataset that grew still buys nothing twice; the old run becomes a log of its own', async () => {
    const { outcome, asked } = await stopWhenAsked('question 1 second');
    const later = countingModel();
    const resumed = await harness.run(twoTurns(6), { model: later.model });
    expect(resumed.account).toMatchObject({ state: 'done', samples: { planned: 6, lost: 0, remaining: 0 } });
    expect(resumed.account.runId).not.toBe(outcome.account.runId);
    const answeredBefore = asked.filter((text) => text !== 'question 1 second');
    expect(later.asked.filter((text) => answeredBefore.includes(text))).toEqual([]);
    expect(await harness.samples(resumed.account.log)).toHaveLength(6);
    expect((await readdir(harness.logDir)).filter((name) => name.endsWith('.eval'))).toHaveLength(2);
  });

  test('two processes that both want to go on with it both finish', async () => {
    const { outcome, asked } = await stopWhenAsked('question 1 second');
    const later = countingModel();
    const both = await Promise.all([
      harness.run(twoTurns(4), { model: later.model }),
      harness.run(twoTurns(4), { model: later.model }),
    ]);
    expect(both.map(({ account }) => account.state)).toEqual(['done', 'done']);
    expect(both.map(({ account }) => account.runId)).toContain(outcome.account.runId);
    expect(asked.length).toBeGreaterThan(0);
  });

  test('a shorter run in between does not cost the answers of what is not in it', async () => {
    const { asked } = await stopWhenAsked('question 1 second');
    const between = countingModel();
    const short = await harness.run(defineEval({ ...twoTurns(4), limit: 1 }), { model: between.model });
    expect(short.account.state).toBe('done');
    const later = countingModel();
    const whole = await harness.run(twoTurns(4), { model: later.model });
    expect(whole.account).toMatchObject({ state: 'done', samples: { lost: 0, remaining: 0 } });
    const answered = [...asked, ...between.asked].filter((text) => text !== 'question 1 second');
    expect(later.asked.filter((text) => answered.includes(text))).toEqual([]);
  });

  test('segments bring the run home when the machine is gone, and nothing that was shipped is bought again', async () => {
    const bucket = directoryBucket(nodeDisk, join(harness.dir, 'bucket'));
    const places = { ...harness.places, segments: { bucket, prefix: '' } };
    const abort = new AbortController();
    const { model, asked } = countingModel((question) => {
      if (question === 'question 3 second') setTimeout(() => abort.abort(), 20);
      return question === 'question 3 second';
    });
    const signals = { drain: new AbortController().signal, abort: abort.signal };
    await harness.run(twoTurns(6), { model, signals, places, concurrency: 1 });
    await rm(harness.stateDir, { recursive: true });
    const later = countingModel();
    const whole = await harness.run(twoTurns(6), { model: later.model, places });
    expect(whole.account).toMatchObject({ state: 'done', samples: { kept: 3, replayed: 1, lost: 0 } });
    expect(whole.account.notes.join()).toContain('came home');
    const answered = asked.filter((text) => text !== 'question 3 second');
    expect(later.asked.filter((text) => answered.includes(text))).toEqual([]);
    const left: string[] = [];
    for await (const { key } of bucket.list('')) left.push(key);
    expect(left).toEqual([basename(whole.account.log ?? '')]);
  });

  test('another version runs all code again, and buys no answer again', async () => {
    const { asked } = await stopWhenAsked('question 1 second');
    const later = countingModel();
    const changed = defineEval({ ...twoTurns(4), version: 2 });
    const outcome = await harness.run(changed, { model: later.model });
    expect(outcome.account).toMatchObject({ state: 'done', samples: { kept: 0, reused: 0, rescored: 0 } });
    const answered = asked.filter((text) => text !== 'question 1 second');
    expect(later.asked.filter((text) => answered.includes(text))).toEqual([]);
  });

  test('--fresh leaves the unfinished run as it is and reuses nothing', async () => {
    const { outcome } = await stopWhenAsked('question 1 second');
    const later = countingModel();
    const fresh = await harness.run(twoTurns(4), { model: later.model, reuse: 'none' });
    expect(later.asked).toHaveLength(8);
    expect(fresh.account.notes.join()).toContain('--fresh');
    expect(await readdir(harness.stateDir)).toContain(outcome.account.runId);
  });

  test('Ctrl-C once lets running samples finish', async () => {
    const drain = new AbortController();
    const { model } = countingModel();
    const outcome = await harness.run(twoTurns(20), {
      model,
      concurrency: 2,
      signals: { drain: drain.signal, abort: new AbortController().signal },
      observer: { onSampleEnd: () => drain.abort() },
    });
    expect(outcome.account.state).toBe('interrupted');
    const { kept, fresh, remaining, lost } = outcome.account.samples;
    expect(kept + fresh + remaining).toBe(20);
    expect(fresh).toBeGreaterThanOrEqual(2);
    expect(lost).toBe(0);
  });
});

describe('reuse over runs', () => {
  test('failed samples are run again, the others are taken over, and the earlier error is kept', async () => {
    let isBroken = true;
    const evalOf = () =>
      defineEval({
        name: 'flaky',
        data: rows(4),
        target: ({ id, input }) => {
          if (id === 'q2' && isBroken) throw new Error('the service is down');
          return input.replace('question', 'answer');
        },
        scorers: [includes()],
      });
    const first = await harness.run(evalOf());
    expect(first.account).toMatchObject({ state: 'done', samples: { errored: 1, fresh: 4 } });
    expect(first.results).toMatchObject({ total_samples: 4, completed_samples: 3 });
    isBroken = false;
    const second = await harness.run(evalOf());
    expect(second.account.samples).toMatchObject({ reused: 3, fresh: 0, rerun: 1, errored: 0, lost: 0 });
    expect(second.account.reusedFrom).toEqual([{ log: basename(first.account.log ?? ''), samples: 3 }]);
    const samples = await harness.samples(second.account.log);
    expect(samples).toHaveLength(4);
    expect(samples[2]?.error_retries?.map(({ message }) => message)).toEqual(['the service is down']);
    expect(samples[2]?.error).toBeUndefined();
  });

  test('a changed scorer scores kept outputs anew; --reuse=any takes the samples as they are', async () => {
    const evalWith = (caseSensitive: boolean) =>
      defineEval({ ...twoTurns(3), scorers: [includes({ ignoreCase: !caseSensitive })] });
    const { model, asked } = countingModel();
    await harness.run(evalWith(false), { model });
    const changed = await harness.run(evalWith(true), { model });
    expect(changed.account.samples).toMatchObject({ reused: 0, rescored: 3, fresh: 0 });
    expect(asked).toHaveLength(6);
    const [sample] = await harness.samples(changed.account.log);
    expect(sample?.events.filter(({ event }) => event === 'score')).toHaveLength(1);
    expect(sample?.events.filter(({ event }) => event === 'model')).toHaveLength(2);
    const any = await harness.run(defineEval({ ...evalWith(true), version: 9 }), { model, reuse: 'any' });
    expect(any.account.samples.reused).toBe(3);
    expect(asked).toHaveLength(6);
  });

  test('a shorter run takes its samples from the longer one', async () => {
    const { model, asked } = countingModel();
    await harness.run(twoTurns(6), { model });
    const short = await harness.run(defineEval({ ...twoTurns(6), limit: 2 }), { model });
    expect(short.account.samples).toMatchObject({ planned: 2, reused: 2 });
    expect(await harness.samples(short.account.log)).toHaveLength(2);
    expect(asked).toHaveLength(12);
  });
});

test('two runs of the same eval at once both finish, each its own', async () => {
  const { model } = countingModel();
  const [one, other] = await Promise.all([
    harness.run(twoTurns(6), { model }),
    harness.run(twoTurns(6), { model }),
  ]);
  expect(one.account.state).toBe('done');
  expect(other.account.state).toBe('done');
  expect(one.account.log).not.toBe(other.account.log);
  expect(await harness.samples(one.account.log)).toHaveLength(6);
  expect(await harness.samples(other.account.log)).toHaveLength(6);
});

test('a budget stops admission and leaves a resumable run', async () => {
  const { model, asked } = countingModel();
  const first = await harness.run(twoTurns(30), { model, budgetUsd: 0.0005, concurrency: 1 });
  expect(first.account.state).toBe('budget');
  expect(first.account.samples.remaining).toBeGreaterThan(0);
  expect(first.account.usd.spent).toBeGreaterThan(0);
  const before = asked.length;
  const rest = await harness.run(twoTurns(30), { model });
  expect(rest.account).toMatchObject({ state: 'done', samples: { lost: 0 } });
  expect(asked).toHaveLength(60);
  expect(before).toBeLessThan(60);
});

test('a scorer that throws leaves the sample unscored, with its error', async () => {
  const outcome = await harness.run(
    defineEval({
      name: 'bad-scorer',
      data: rows(2),
      target: ({ input }) => input,
      scorers: [
        scorer('moody', ({ sample }) => {
          if (sample.id === 'q1') throw new Error('no idea');
          return 1;
        }),
      ],
    }),
  );
  expect(outcome.account.samples).toMatchObject({ fresh: 2, errored: 0 });
  expect(outcome.results?.scores[0]).toMatchObject({ scored_samples: 1, unscored_samples: 1 });
  const samples = await harness.samples(outcome.account.log);
  expect(samples[1]?.scores?.moody).toMatchObject({
    value: Number.NaN,
    explanation: 'The scorer failed: no idea',
  });
});

test('failOnError stops at the first error and leaves a resumable run', async () => {
  const outcome = await harness.run(
    defineEval({
      name: 'strict',
      data: rows(10),
      target: ({ id }) => {
        if (id === 'q1') throw new Error('boom');
        return 'x';
      },
      scorers: [includes()],
      failOnError: true,
    }),
    { concurrency: 1 },
  );
  expect(outcome.account).toMatchObject({ state: 'failed', samples: { errored: 1, fresh: 2, remaining: 8 } });
});

test('an error is retried as often as the eval says, and the attempts are kept', async () => {
  let tries = 0;
  const outcome = await harness.run(
    defineEval({
      name: 'retried',
      data: rows(1),
      target: () => {
        if (++tries < 3) throw new Error(`try ${tries}`);
        return 'answer 0';
      },
      scorers: [includes()],
      retries: 2,
    }),
  );
  expect(outcome.account.samples).toMatchObject({ errored: 0 });
  const [sample] = await harness.samples(outcome.account.log);
  expect(sample?.error_retries?.map(({ message }) => message)).toEqual(['try 1', 'try 2']);
  const told = sample?.error_retries?.[1]?.events as readonly { event: string }[];
  expect(told.map(({ event }) => event)).toContain('error');
});

test('a sample that meets a limit is completed, scored on what it said, and says which limit', async () => {
  const { model } = countingModel();
  const outcome = await harness.run(
    defineEval({
      name: 'limited',
      data: rows(1),
      target: async ({ input }, { generate }) => {
        for (;;) await generate(`${input} again`);
      },
      scorers: [includes()],
      limits: { turns: 3 },
    }),
    { model },
  );
  const [sample] = await harness.samples(outcome.account.log);
  expect(sample).toMatchObject({ limit: { type: 'turn', limit: 3 }, scores: { includes: { value: 'C' } } });
  expect(sample?.error).toBeUndefined();
});

test('a time limit stops a target that does not listen, and it can buy nothing afterwards', async () => {
  const { model, asked } = countingModel();
  const outcome = await harness.run(
    defineEval({
      name: 'slow',
      data: rows(1),
      target: async ({ input }, { generate }) => {
        await generate(`${input} early`);
        await new Promise((resolve) => setTimeout(resolve, 600));
        return (await generate(`${input} late`)).text;
      },
      scorers: [
        scorer('patient', async () => {
          await new Promise((resolve) => setTimeout(resolve, 900));
          return 1;
        }),
      ],
      limits: { timeMs: 200 },
    }),
    { model },
  );
  const [sample] = await harness.samples(outcome.account.log);
  expect(sample).toMatchObject({ limit: { type: 'time', limit: 0.2 }, scores: { patient: { value: 1 } } });
  expect(asked).toEqual(['question 0 early']);
});

test('a budget holds for the run, however often it is resumed', async () => {
  const { model, asked } = countingModel();
  await harness.run(twoTurns(30), { model, budgetUsd: 0.0005, concurrency: 1 });
  const before = asked.length;
  const again = await harness.run(twoTurns(30), { model, budgetUsd: 0.0005, concurrency: 1 });
  expect(again.account.state).toBe('budget');
  expect(asked).toHaveLength(before);
});

test('whatever odd values users give, the run can be sealed', async () => {
  const loop: Record<string, unknown> = {};
  loop.self = loop;
  const odd = { fn: () => 1, big: 10n, nan: Number.NaN, symbol: Symbol('s'), loop };
  const outcome = await harness.run(
    defineEval({
      name: 'odd',
      data: [{ id: 'a', input: 'x', target: 'x', metadata: odd as never }],
      target: ({ input }, { info }) => {
        info(odd as never);
        return input;
      },
      scorers: [
        scorer('odd', () => ({
          value: 1,
          answer: 7 as never,
          explanation: odd as never,
          metadata: odd as never,
        })),
        scorer('thrower', () => {
          throw Object.create(null);
        }),
      ],
    }),
  );
  expect(outcome.account).toMatchObject({ state: 'done', samples: { lost: 0, errored: 0 } });
  const [sample] = await harness.samples(outcome.account.log);
  expect(sample?.scores?.odd).toMatchObject({ value: 1, answer: '7' });
});

test('a damaged sample of an earlier log is run again from its answers, and said', async () => {
  const { model, asked } = countingModel();
  const first = await harness.run(defineEval({ ...twoTurns(6), limit: 3 }), { model });
  const path = first.account.log ?? '';
  const bytes = await readFile(path);
  const at = bytes.indexOf('samples/q1_epoch_1.json') + 'samples/q1_epoch_1.json'.length + 40;
  bytes[at] = (bytes[at] ?? 0) ^ 0xff;
  await writeFile(path, bytes);
  const second = await harness.run(twoTurns(6), { model });
  expect(second.account).toMatchObject({ state: 'done', samples: { reused: 2, lost: 0 } });
  expect(second.account.notes.join()).toContain('samples/q1_epoch_1.json');
  expect(asked).toHaveLength(12);
  expect(await harness.samples(second.account.log)).toHaveLength(6);
});

test('an agent whose output was kept is not started again when scoring was interrupted', async () => {
  const abort = new AbortController();
  let isHanging = true;
  const definition = defineEval({
    name: 'agent',
    data: rows(1),
    target: {
      command: [
        process.execPath,
        '-e',
        'require("fs").appendFileSync("../../../../runs", "x"); console.log("answer 0")',
      ],
    },
    scorers: [
      scorer('slow', async ({ text, signal }) => {
        if (!isHanging) return text.includes('answer 0');
        abort.abort();
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        throw signal.reason;
      }),
    ],
  });
  const first = await harness.run(definition, {
    signals: { drain: new AbortController().signal, abort: abort.signal },
  });
  expect(first.account.state).toBe('interrupted');
  isHanging = false;
  const second = await harness.run(definition);
  expect(second.account).toMatchObject({ state: 'done', samples: { lost: 0 } });
  const [sample] = await harness.samples(second.account.log);
  expect(sample?.scores?.slow?.value).toBe(true);
  const { readFile } = await import('node:fs/promises');
  const runs = await readFile(`${harness.stateDir}/work/runs`, 'utf8').catch(() => 'not found');
  expect(runs).toBe('x');
});

test('a mistake in the eval itself stops the run at once and leaves nothing behind', async () => {
  const definition = defineEval({
    name: 'no-model',
    data: rows(50),
    target: async ({ input }, { generate }) => (await generate(input)).text,
    scorers: [includes()],
  });
  await expect(harness.run(definition)).rejects.toMatchObject({ code: 'E_MODEL_NONE' });
  expect(await readdir(harness.stateDir)).toEqual([]);
  expect(await readdir(harness.logDir)).toEqual(['.holdfast']);
});

describe('the account', () => {
  test('[SEAL-4] stands in the log as it was given, made from what was planned', async () => {
    const { model } = countingModel();
    const { account } = await harness.run(twoTurns(4), { model });
    const log = await openLog(nodeDisk, account.log ?? '');
    const header = await log.header();
    await log.close();
    expect(header.metadata[ACCOUNT_KEY]).toEqual(JSON.parse(JSON.stringify(account)));
    expect(header.results).toMatchObject({ total_samples: 4, completed_samples: 4 });
  });

  test('[SEAL-5] a sample whose rows were damaged while the run went on is named; the rest is sealed, the journals are kept', async () => {
    const { model } = countingModel();
    let ended = 0;
    const { account } = await harness.run(twoTurns(4), {
      model,
      concurrency: 1,
      observer: {
        onSampleEnd: ({ id }) => {
          if (++ended === 4) damageEvents(String(id));
        },
      },
    });
    expect(account).toMatchObject({ state: 'done', samples: { planned: 4, fresh: 4, lost: 1 } });
    expect(account.unwritable?.map(({ sample }) => sample)).toEqual(['q3_epoch_1']);
    expect(await harness.samples(account.log)).toHaveLength(3);
    expect(await readdir(join(harness.stateDir, 'damaged'))).toEqual([account.runId]);
    expect((await readdir(harness.stateDir)).filter((name) => /^\d{8}T/.test(name))).toEqual([]);
  });
});

describe('a writer that was declared dead', () => {
  test('[JRN-13] acknowledges nothing more, and leaves the log and the journals of others alone', async () => {
    const { model, asked } = countingModel();
    let seen = 0;
    const outcome = await harness.run(twoTurns(20), {
      model,
      concurrency: 1,
      observer: {
        onSampleEnd: () => {
          if (++seen === 3) fenceAll();
        },
      },
    });
    expect(outcome.account.state).toBe('failed');
    expect(outcome.error).toMatchObject({ code: 'E_WRITER_FENCED' });
    expect(asked.length).toBeLessThanOrEqual(8);
    expect(outcome.account.samples).toMatchObject({ fresh: 3, lost: 0, remaining: 17 });
    expect((await readdir(harness.logDir)).filter((name) => name.endsWith('.eval'))).toEqual([]);
    const later = countingModel();
    const resumed = await harness.run(twoTurns(20), { model: later.model });
    expect(resumed.account).toMatchObject({ state: 'done', samples: { kept: 3, lost: 0 } });
  });

  test('[JRN-13] while it seals: the log gets no name, and everything is left for whoever goes on', async () => {
    const { model } = countingModel();
    const outcome = await harness.run(twoTurns(3), { model, observer: { onSealProgress: () => fenceAll() } });
    expect(outcome.error).toMatchObject({ code: 'E_WRITER_FENCED' });
    expect((await readdir(harness.logDir)).filter((name) => name.endsWith('.eval'))).toEqual([]);
    const later = countingModel();
    const resumed = await harness.run(twoTurns(3), { model: later.model });
    expect(resumed.account).toMatchObject({ state: 'done', samples: { kept: 3, lost: 0 } });
    expect(later.asked).toEqual([]);
  });

  test('[JRN-13] a run whose journals vanish under it stops, and says so', async () => {
    const { model, asked } = countingModel();
    const outcome = await harness.run(twoTurns(20), {
      model,
      concurrency: 1,
      observer: {
        onSampleEnd: () => rmSync(harness.stateDir, { recursive: true, force: true }),
      },
    });
    expect(outcome.account.state).toBe('failed');
    expect(outcome.error).toMatchObject({ code: 'E_JOURNAL_VANISHED' });
    expect(asked.length).toBeLessThanOrEqual(4);
  });
});

/** The folder of the one writer that is at work. */
function writerDirOf(stateDir: string): string {
  const [run = ''] = readdirSync(stateDir).filter((name) => /^\d{8}T/.test(name));
  const writers = readdirSync(join(stateDir, run), { withFileTypes: true }).filter((entry) =>
    entry.isDirectory(),
  );
  return join(stateDir, run, writers.at(-1)?.name ?? '');
}

const fenceAll = () => writeFileSync(join(writerDirOf(harness.stateDir), 'fenced'), '');

/** Changes the events of a sample behind the back of its journal. */
function damageEvents(id: string): void {
  const db = new DatabaseSync(join(writerDirOf(harness.stateDir), 'journal.db'));
  db.prepare(
    'UPDATE events SET json = json || ? WHERE attempt IN (SELECT n FROM attempts WHERE sample_id = ?)',
  ).run(' ', id);
  db.close();
}
