/** When the journals and the segments of a run may go, and when they stay. */
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  countingModel,
  damageFirstAttempt,
  rows,
  sealNow,
  stopAt,
  twoTurns,
} from '../../test/interrupted-run.ts';
import { createHarness, type Harness } from '../../test/run-harness.ts';
import { newWriter, sampleFields, sampleStart } from '../../test/sim/journal-fixture.ts';
import { memoryBucket } from '../../test/sim/memory-bucket.ts';
import { withMethods } from '../../test/sim/with-methods.ts';
import type { Bucket } from '../bucket/index.ts';
import { nodeDisk } from '../disk/index.ts';
import { defineEval, includes } from '../evals/index.ts';
import { importWriter, listWriters } from '../journal/index.ts';

let harness: Harness;
beforeEach(async () => {
  harness = await createHarness();
});
afterEach(() => harness.close());

const runsLeft = () => readdirSync(harness.stateDir).filter((name) => /^\d{8}T/.test(name));

describe('segments', () => {
  async function keysOf(bucket: Bucket): Promise<readonly string[]> {
    const keys: string[] = [];
    for await (const { key } of bucket.list('')) keys.push(key);
    return keys;
  }
  const withSegments = (bucket: Bucket) => ({ ...harness.places, segments: { bucket, prefix: '' } });

  /** The bucket, in which something fails while `isFailing` says so. */
  const failing = (bucket: Bucket, isFailing: (method: string, key: string) => boolean): Bucket =>
    new Proxy(bucket, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== 'function') return value;
        return (key: string, ...more: readonly unknown[]) => {
          if (isFailing(String(name), key)) throw new Error('the bucket is away');
          return value.call(target, key, ...more);
        };
      },
    });

  test('[SEG-9] [SEG-5] stay, all of them, when the bucket does not take the log', async () => {
    const bucket = memoryBucket();
    let [ended, isSealing] = [0, false];
    // It takes no log at all, and at the end no segment until the log is made.
    const awayAtTheEnd = failing(
      bucket,
      (method, key) => method === 'create' && key.includes('/segments/') && ended > 0 && !isSealing,
    );
    const refusing = withMethods(awayAtTheEnd, {
      createFromFile: () => Promise.reject(new Error('no room for logs')),
    });
    const { model } = countingModel();
    const { account } = await harness.run(twoTurns(3), {
      model,
      places: withSegments(refusing),
      observer: {
        onSampleEnd: () => void ended++,
        onSealProgress: () => {
          isSealing = true;
        },
      },
    });
    expect(account).toMatchObject({ state: 'done', samples: { fresh: 3, lost: 0 } });
    expect(account.unshipped).toEqual([{ log: basename(account.log ?? ''), reason: 'no room for logs' }]);
    expect(runsLeft()).toEqual([account.runId]);
    const { runId: run } = account;
    const [writer = ''] = await listWriters(bucket, '', run);
    const runDir = join(harness.dir, 'home');
    mkdirSync(runDir);
    const report = await importWriter({ disk: nodeDisk, bucket, prefix: '', run, writer, runDir });
    // All of them, with the word that nothing follows [SEG-5].
    expect(report).toMatchObject({ isComplete: true, problems: [] });
  });

  test('[SEG-9] [SEG-6] of a run whose log did not reach the bucket go when the next run has shipped it, which buys nothing', async () => {
    const bucket = memoryBucket();
    let isFull = true;
    const refusing = withMethods(bucket, {
      createFromFile: (key, path, signal) =>
        isFull ? Promise.reject(new Error('no room for logs')) : bucket.createFromFile(key, path, signal),
    });
    const { model, asked } = countingModel();
    const run = () => harness.run(twoTurns(3), { model, places: withSegments(refusing) });
    const first = await run();
    const still = await run();
    expect(still.account).toMatchObject({ state: 'done', samples: { reused: 3 } });
    expect(still.account.unshipped).toEqual(first.account.unshipped);
    expect(runsLeft()).toEqual([first.account.runId]);
    isFull = false;
    const { account } = await run();
    expect(account.unshipped).toBeUndefined();
    expect(await keysOf(bucket)).toEqual([basename(first.account.log ?? '')]);
    expect(runsLeft()).toEqual([]);
    expect(asked).toHaveLength(6);
  });

  test('[SEG-9] a log that another run left behind is shipped also when its journals are gone', async () => {
    const { model } = countingModel();
    const { account } = await harness.run(twoTurns(3), { model });
    const other = await harness.run(defineEval({ ...twoTurns(2), name: 'another' }), { model });
    expect(other.account.state).toBe('done');
    const bucket = memoryBucket();
    await harness.run(twoTurns(3), { model, places: withSegments(bucket) });
    expect(await keysOf(bucket)).toEqual([basename(account.log ?? '')]);
  });

  test('[SEG-9] an object of the name of a log that is not that log is not taken for it: it is said and left', async () => {
    const { model } = countingModel();
    const { account } = await harness.run(twoTurns(3), { model });
    const name = basename(account.log ?? '');
    const bucket = memoryBucket();
    await bucket.create(name, Buffer.from('something else'));
    const again = await harness.run(twoTurns(3), { model, places: withSegments(bucket) });
    expect(again.account.unshipped).toEqual([
      { log: name, reason: expect.stringContaining('is not the log that') },
    ]);
    expect(Buffer.from((await bucket.read(name)) ?? []).toString()).toBe('something else');
  });

  test('[SEG-9] left of a run whose journals are gone are removed when its log in the bucket holds them', async () => {
    const bucket = memoryBucket();
    let isRefusing = true;
    const sticky = withMethods(bucket, {
      removeAll: (keys, signal) =>
        isRefusing ? Promise.reject(new Error('not now')) : bucket.removeAll(keys, signal),
    });
    const { model, asked } = countingModel();
    const first = await harness.run(twoTurns(3), { model, places: withSegments(sticky) });
    expect(first.account.unshipped).toBeUndefined();
    expect(runsLeft()).toEqual([first.account.runId]);
    rmSync(join(harness.stateDir, first.account.runId), { recursive: true });
    isRefusing = false;
    const { account } = await harness.run(twoTurns(3), { model, places: withSegments(sticky) });
    expect(account).toMatchObject({ state: 'done', samples: { reused: 3 } });
    expect(await keysOf(bucket)).toEqual([basename(first.account.log ?? '')]);
    expect(asked).toHaveLength(6);
  });

  test('[SEG-9] with answers of a sample that did not end go too, when the log holds those answers', async () => {
    const bucket = memoryBucket();
    const { outcome } = await stopAt(harness, 2, { places: withSegments(bucket) });
    const { runId } = outcome.account;
    const run = await sealNow(harness, runId);
    rmSync(join(harness.stateDir, runId), { recursive: true });
    const { model } = countingModel();
    const { account } = await harness.run(twoTurns(3), { model, places: withSegments(bucket) });
    expect(account.notes.join()).not.toContain('lacks');
    expect((await keysOf(bucket)).filter((key) => key.includes(`${runId}/segments/`))).toEqual([]);
    expect(await keysOf(bucket)).toContain(run.logName);
  });

  test('[SEG-9] that hold more than the log of their run stay, and it is said', async () => {
    const bucket = memoryBucket();
    const { outcome } = await stopAt(harness, 2, { places: withSegments(bucket) });
    const { runId } = outcome.account;
    const run = await sealNow(harness, runId);
    const late = await newWriter(join(harness.dir, 'away'), run, { generation: 2, writer: 'late' });
    await late.startAttempt(sampleStart('q2')).finish('completed', sampleFields('q2'));
    await late.end('interrupted');
    await late.shipTo({ bucket, prefix: '' }).ship();
    late.close();
    rmSync(join(harness.stateDir, runId), { recursive: true });
    const { account } = await harness.run(twoTurns(3), {
      model: countingModel().model,
      places: withSegments(bucket),
    });
    expect(account.notes.join()).toContain(`The segments of run ${runId} hold`);
    expect((await keysOf(bucket)).some((key) => key.startsWith(`${runId}/segments/late/`))).toBe(true);
  });

  test('[SEG-9] of a run whose damaged journals were set aside go with the next run', async () => {
    const bucket = memoryBucket();
    const places = withSegments(bucket);
    const { outcome } = await stopAt(harness, 2, { places });
    await damageFirstAttempt(harness, outcome.account.runId);
    const { model } = countingModel();
    const { account } = await harness.run(twoTurns(3), { model, places });
    expect(account.damage).toBeDefined();
    expect((await keysOf(bucket)).some((key) => key.includes('/segments/'))).toBe(true);
    const again = await harness.run(twoTurns(3), { model, places });
    expect(again.account).toMatchObject({ state: 'done', samples: { reused: 3 } });
    expect(await keysOf(bucket)).toEqual([basename(account.log ?? '')]);
  });

  test('[SEG-9] of a run that was carried over go when its log is in the bucket', async () => {
    const bucket = memoryBucket();
    const { outcome } = await stopAt(harness, 2, { places: withSegments(bucket), which: [0, 1, 2] });
    const { account } = await harness.run(twoTurns([0, 1, 2, 3]), {
      model: countingModel().model,
      places: withSegments(bucket),
    });
    expect(account).toMatchObject({ state: 'done', samples: { planned: 4, lost: 0 } });
    expect(account.runId).not.toBe(outcome.account.runId);
    const keys = await keysOf(bucket);
    expect(keys.filter((key) => key.includes('/'))).toEqual([]);
    expect(keys).toHaveLength(2);
    expect(runsLeft()).toEqual([]);
  });

  test('[SEG-6] a bucket that is away when the log is finished loses nothing: journals and segments stay', async () => {
    const bucket = memoryBucket();
    let isAway = false;
    const { model } = countingModel();
    const { account } = await harness.run(twoTurns(3), {
      model,
      places: withSegments(failing(bucket, () => isAway)),
      observer: {
        onSealProgress: () => {
          isAway = true;
        },
      },
    });
    expect(account).toMatchObject({ state: 'done', samples: { fresh: 3, lost: 0 } });
    expect(account.unshipped).toMatchObject([{ reason: 'the bucket is away' }]);
    expect((await keysOf(bucket)).some((key) => key.includes('/segments/'))).toBe(true);
    expect(runsLeft()).toEqual([account.runId]);
  });

  test('[SEG-9] that the bucket took only after the end of the run go with the others', async () => {
    const bucket = memoryBucket();
    let [ended, isSealing] = [0, false];
    const awayAtTheEnd = failing(
      bucket,
      (method, key) => method === 'create' && key.includes('/segments/') && ended > 0 && !isSealing,
    );
    const { model } = countingModel();
    const { account } = await harness.run(twoTurns(3), {
      model,
      places: withSegments(awayAtTheEnd),
      observer: {
        onSampleEnd: () => void ended++,
        onSealProgress: () => {
          isSealing = true;
        },
      },
    });
    expect(account).toMatchObject({ state: 'done', samples: { fresh: 3, lost: 0 } });
    expect(await keysOf(bucket)).toEqual([basename(account.log ?? '')]);
  });

  test('[SEG-9] of a writer that nobody here has read stay when the others go', async () => {
    const bucket = memoryBucket();
    let foreign = '';
    const { model } = countingModel();
    const { account } = await harness.run(twoTurns(3), {
      model,
      places: withSegments(bucket),
      observer: {
        onRunStart: ({ runId }) => {
          foreign = `${runId}/segments/another/00000001.zst`;
          void bucket.create(foreign, Uint8Array.of(1));
        },
      },
    });
    expect(account.state).toBe('done');
    expect(await keysOf(bucket)).toEqual([basename(account.log ?? ''), foreign].sort());
  });
});

test('[SEAL-5] journals that could not be read whole are kept when the run is done', async () => {
  const { outcome } = await stopAt(harness, 2);
  const { runId } = outcome.account;
  await damageFirstAttempt(harness, runId);
  const { account } = await harness.run(twoTurns(3), { model: countingModel().model });
  expect(account).toMatchObject({ state: 'done', runId, samples: { kept: 1, lost: 0 } });
  expect(readdirSync(join(harness.stateDir, 'damaged'))).toEqual([runId]);
});

test('[SEAL-5] a log that another process made of less lets no journal go', async () => {
  let runId = '';
  const definition = defineEval({
    name: 'sealed-under-us',
    data: rows(3),
    target: async ({ id, input }) => {
      if (id === 'q2') await sealNow(harness, runId);
      return input;
    },
    scorers: [includes()],
  });
  const { account } = await harness.run(definition, {
    concurrency: 1,
    observer: {
      onRunStart: (run) => {
        runId = run.runId;
      },
    },
  });
  expect(account.notes.join()).toContain('lacks 1 sample of this one');
  expect(runsLeft()).toEqual([runId]);
});

test('a log that lends samples and is removed meanwhile leaves a run that can go on, and no log with a hole', async () => {
  const { model, asked } = countingModel();
  const first = await harness.run(defineEval({ ...twoTurns(4), limit: 2 }), { model });
  const lender = first.account.log ?? '';
  const observer = { onSampleEnd: () => rmSync(lender, { force: true }) };
  const stopped = await harness.run(twoTurns(4), { model, observer });
  expect(stopped.error).toMatchObject({ code: 'E_REUSED_GONE' });
  expect(stopped.account).toMatchObject({ state: 'failed', samples: { planned: 4, fresh: 2, lost: 2 } });
  expect(readdirSync(harness.logDir).filter((name) => name.endsWith('.eval'))).toEqual([]);
  const { account } = await harness.run(twoTurns(4), { model });
  expect(account).toMatchObject({ state: 'done', samples: { kept: 2, fresh: 2, lost: 0 } });
  expect(asked).toHaveLength(12);
});

describe('a run whose log is there already', () => {
  test('[SEAL-3] is let go by the next one', async () => {
    const { outcome } = await stopAt(harness, 2);
    await sealNow(harness, outcome.account.runId);
    const { model, asked } = countingModel();
    const { account } = await harness.run(twoTurns(3), { model });
    // The answer of the sample that was under way is in that log, too.
    expect(account).toMatchObject({ state: 'done', samples: { reused: 2, replayed: 1, lost: 0 } });
    expect(asked).toEqual(['question 2 second']);
    expect(runsLeft()).toEqual([]);
  });

  test('[SEAL-5] stays when its journals hold what is not in that log', async () => {
    const { outcome } = await stopAt(harness, 2);
    const run = await sealNow(harness, outcome.account.runId);
    const late = await newWriter(harness.stateDir, run, { generation: 2 });
    await late.startAttempt(sampleStart('q2')).finish('completed', sampleFields('q2'));
    late.close();
    const { account } = await harness.run(twoTurns(3), { model: countingModel().model });
    expect(account.state).toBe('done');
    expect(account.notes.join()).toContain('hold 1 sample more');
    expect(existsSync(late.reader.path)).toBe(true);
  });
});

test('folders of agents that wrote nothing go with the run; what they wrote stays', async () => {
  let work = '';
  await harness.run(twoTurns(2), {
    model: countingModel().model,
    observer: {
      onRunStart: ({ runId }) => {
        work = join(harness.stateDir, 'work', runId);
        mkdirSync(join(work, 'q0/1-1/workspace'), { recursive: true });
        mkdirSync(join(work, 'q1/1-1/workspace'), { recursive: true });
        writeFileSync(join(work, 'q1/1-1/agent-1.stdout'), 'said');
      },
    },
  });
  expect(readdirSync(work, { recursive: true }).map(String).sort()).toEqual([
    'q1',
    join('q1', '1-1'),
    join('q1', '1-1', 'agent-1.stdout'),
  ]);
});
