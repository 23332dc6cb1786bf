import { expect, test } from 'vitest';
import { everyOrder, type Scene, steppedBucket, type Turns } from '../../test/sim/every-order.ts';
import { RUN, sharedFixture } from '../../test/sim/shared-fixture.ts';
import { ActionableError } from '../base/index.ts';
import type { Bucket } from '../bucket/index.ts';
import { type Collectable, collectRuns, noteFetched } from './collect-runs.ts';
import { KnownRuns } from './known-runs.ts';
import { beginRound } from './rounds.ts';
import { removedKey, SharedKeys, sampleJob } from './shared-keys.ts';
import { SharedRun } from './shared-run.ts';
import { workOnJob } from './work-on-job.ts';

/** The objects of a run of two samples that is complete, home and merged. */
async function homeObjects(): Promise<ReadonlyMap<string, Uint8Array>> {
  const fixture = sharedFixture({ samples: 2 });
  const { bucket, clock } = fixture;
  const shared = await fixture.submit();
  for (const position of [0, 1]) await workOnJob(sampleJob(position), await fixture.ports('a'));
  await shared.refresh();
  await noteFetched(shared, fixture.place, { clock, by: 'laptop', isMerged: true });
  const objects = new Map<string, Uint8Array>();
  for await (const { key } of bucket.list('')) objects.set(key, (await bucket.read(key)) ?? Buffer.alloc(0));
  return objects;
}

const OBJECTS = await homeObjects();

async function homeRun() {
  const fixture = sharedFixture({ samples: 2 });
  const { bucket, clock } = fixture;
  for (const [key, bytes] of OBJECTS) await bucket.create(key, bytes);
  const shared = await fixture.open();
  const collect = (of: Bucket = bucket) =>
    collectRuns({ bucket: of, prefix: '' }, { clock, olderThanMs: 0, isDryRun: false, nowMs: clock.nowMs() });
  /** All that is there of the run: what it is and what leads to it; that it was removed stays. */
  const keys = async () =>
    (await Array.fromAsync(bucket.list(''))).flatMap(({ key }) =>
      key.includes(RUN) && key !== removedKey('', RUN) ? key : [],
    );
  const open = () => SharedRun.open(fixture.place, RUN);
  return { ...fixture, shared, collect, keys, open };
}

type HomeRun = Awaited<ReturnType<typeof homeRun>>;

/** What the two decide by: all else commutes with it. */
const decides = (what: string, key: string) =>
  what !== 'read' && (/\/rounds\/|\/submission$/.test(key) || /\/fetched\/.*partly$/.test(key));

const codeOf = (error: unknown) => (error instanceof ActionableError ? error.code : String(error));

/** A collection that takes turns with others. */
const collecting =
  ({ collect, bucket }: HomeRun, seen?: (found: readonly Collectable[]) => void) =>
  async ({ step }: Turns) =>
    void (await collect(steppedBucket(bucket, step, decides)).then(seen));

test('[SHR-26] a collection that dies at any step is finished by the next, and nobody sees half of the run', async () => {
  let died = 0;
  for (let isOver = false; !isOver; died++) {
    const run = await homeRun();
    let steps = 0;
    const die = async () => {
      if (steps++ === died) throw new Error('killed');
    };
    isOver = await run.collect(steppedBucket(run.bucket, die)).then(
      () => true,
      () => false,
    );
    const left = await run.open();
    expect(left === undefined || left.isComplete, `after ${died} steps`).toBe(true);
    const found = await run.collect();
    expect(found.filter(({ isRemoved }) => !isRemoved)).toEqual([]);
    expect(await run.keys(), `after ${died} steps`).toEqual([]);
    expect(await run.collect()).toEqual([]);
  }
  expect(died).toBeGreaterThan(20);
});

test('[SHR-26] a run that lost its submission is no half-done collection: it stays, whatever of it is home, and is named', async () => {
  const run = await homeRun();
  const { clock, place, bucket } = run;
  await beginRound(run.shared, place, { clock, by: 'laptop' });
  await noteFetched(run.shared, place, { clock, by: 'laptop', isMerged: false });
  await bucket.remove(`${RUN}/shared/submission`);
  const before = await run.keys();
  expect(await run.collect()).toEqual([
    {
      run: RUN,
      isRemoved: false,
      isDamaged: true,
      reason: expect.stringContaining('submission of run is gone'),
    },
  ]);
  expect(await run.keys()).toEqual(before);
});

test('[SHR-26] what a worker wrote to a run that was removed while it slept goes with the next collection, and is no damage', async () => {
  const run = await homeRun();
  await run.collect();
  expect(await run.keys()).toEqual([]);
  const late = [new SharedKeys('', RUN).ended(sampleJob(0), 1), `${RUN}/segments/w/00000007.zst`];
  for (const key of late) await run.bucket.create(key, Buffer.from('late'));
  expect(await run.collect()).toEqual([
    { run: RUN, isRemoved: true, reason: expect.stringContaining('removed before') },
  ]);
  expect(await run.keys()).toEqual([]);
  expect(await run.collect()).toEqual([]);
});

test('[SHR-26] a run that lost all but its segments is damaged once no submit can be under way, and is named', async () => {
  const run = await homeRun();
  const { bucket, clock } = run;
  for (const key of await run.keys()) await bucket.remove(key);
  const segment = `${RUN}/segments/w/00000001.zst`;
  await bucket.create(segment, Buffer.from('paid for'));
  expect(await run.collect()).toEqual([]);
  await clock.advance(2 * 86_400_000);
  expect(await run.collect()).toMatchObject([{ run: RUN, isRemoved: false, isDamaged: true }]);
  expect(await run.keys()).toEqual([segment]);
});

test('[SHR-26] of a collection and a new round at once one sees the other, in every order', async () => {
  const ends = new Set<string>();
  const orders = await everyOrder(async (): Promise<Scene> => {
    const run = await homeRun();
    const { clock, bucket } = run;
    let found: readonly Collectable[] = [];
    let resumed = '';
    const resume = async ({ step }: Turns) => {
      const place = { bucket: steppedBucket(bucket, step, decides), prefix: '' };
      resumed = await beginRound(run.shared, place, { clock, by: 'laptop' }).then(() => 'resumed', codeOf);
    };
    return {
      actors: [collecting(run, (all) => (found = all)), resume],
      check: async () => {
        const isRemoved = found.some((one) => one.isRemoved);
        ends.add(`${resumed} ${isRemoved}`);
        const left = await run.open();
        if (resumed === 'resumed')
          expect({ isRemoved, round: left?.round, isComplete: left?.isComplete }).toEqual({
            ...{ isRemoved: false, round: 2, isComplete: true },
          });
        else {
          expect(resumed).toBe('E_SHARED_REMOVED');
          expect(left).toBeUndefined();
          await run.collect();
          expect(await run.keys()).toEqual([]);
        }
      },
    };
  });
  expect(orders).toBeGreaterThan(50);
  // Where both see the other, both give way, and the next collection removes it.
  expect([...ends].sort()).toEqual(['E_SHARED_REMOVED false', 'E_SHARED_REMOVED true', 'resumed false']);
});

test('[SHR-26] of two collections at once both end, and nothing is left, in whatever order', async () => {
  await everyOrder(async () => {
    const run = await homeRun();
    const damaged: Collectable[] = [];
    const note = (found: readonly Collectable[]) =>
      void damaged.push(...found.filter(({ isDamaged }) => isDamaged));
    const one = async ({ step }: Turns) => note(await run.collect(steppedBucket(run.bucket, step, decides)));
    return {
      actors: [one, one],
      check: async () => {
        expect(damaged).toEqual([]);
        expect(await run.keys()).toEqual([]);
      },
    };
  }, 2);
});

test('[SHR-26] who reads a run while it is removed sees it whole or not at all, in every order', async () => {
  await everyOrder(async () => {
    const run = await homeRun();
    let read: SharedRun | undefined;
    const isOfOne = (_: string, key: string) => /submission$|s1\.0001|rounds|leases\/$/.test(key);
    const isRemoval = (what: string, key: string) => what === 'remove' && isOfOne(what, key);
    const reader = async ({ step }: Turns) => {
      read = await SharedRun.open({ bucket: steppedBucket(run.bucket, step, isOfOne), prefix: '' }, RUN);
    };
    const remove = async ({ step }: Turns) =>
      void (await run.collect(steppedBucket(run.bucket, step, isRemoval)));
    return {
      actors: [remove, reader],
      check: async () => expect(read === undefined || read.isComplete).toBe(true),
    };
  });
});

test('[SHR-26] who says that a run is home while it is removed leaves nothing behind, in whatever order', async () => {
  await everyOrder(async () => {
    const run = await homeRun();
    const { clock, bucket } = run;
    const fetch = async ({ step }: Turns) => {
      const place = { bucket: steppedBucket(bucket, step, decides), prefix: '' };
      const words = { clock, by: 'laptop', isMerged: false };
      const said = await noteFetched(run.shared, place, words).then(() => 'said', codeOf);
      expect(['said', 'E_SHARED_REMOVED']).toContain(said);
    };
    return {
      actors: [collecting(run), fetch],
      check: async () => {
        await run.collect();
        expect(await run.keys()).toEqual([]);
      },
    };
  }, 3);
});

test('[SHR-26] a worker that has a job of a run that is gone does nothing for it, and leaves nothing behind', async () => {
  const run = await homeRun();
  let worked = 0;
  const ports = await run.ports('late', {
    work: async () => {
      worked++;
      return { status: 'completed' };
    },
  });
  await run.collect();
  expect(await workOnJob(sampleJob(0), ports)).toEqual({ kind: 'cancelled' });
  expect({ worked, left: await run.keys() }).toEqual({ worked: 0, left: [] });
});

test('[SHR-26] a worker that slept while its run was removed stops, and says nothing of it any more', async () => {
  const fixture = sharedFixture({ samples: 1 });
  const { clock, bucket } = fixture;
  const begun = Promise.withResolvers<void>();
  const work = (_lease: unknown, { signal }: { readonly signal: AbortSignal }) =>
    new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
      begun.resolve();
    });
  const working = workOnJob(sampleJob(0), await fixture.ports('a', { work }));
  await begun.promise;
  await bucket.removeAll((await Array.fromAsync(bucket.list(`${RUN}/`))).map(({ key }) => key));
  let outcome: unknown;
  void working.then((end) => {
    outcome = end;
  });
  await clock.advance(31_000);
  expect(outcome).toEqual({ kind: 'cancelled' });
  expect(await Array.fromAsync(bucket.list(`${RUN}/`))).toEqual([]);
});

test('[SHR-26] of a run that was known before it was complete nothing is due once it was removed', async () => {
  const fixture = sharedFixture({ samples: 2 });
  await fixture.submit();
  const known = new KnownRuns(fixture.place);
  expect([...((await known.look(RUN))?.due() ?? [])]).toHaveLength(2);
  await fixture.bucket.removeAll([`${RUN}/shared/submission`, `${RUN}/shared/rounds/0001`]);
  expect(await known.look(RUN)).toBeUndefined();
});
