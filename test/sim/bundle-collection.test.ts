/** Bundles of a bucket are collected while runs are submitted: whoever sees the other gives way. */
import { expect, test } from 'vitest';
import { digestOf, seededRandom } from '../../src/base/index.ts';
import type { Bucket } from '../../src/bucket/index.ts';
import {
  type Bundle,
  collectSentBundles,
  readBundleManifest,
  signSubmit,
  uploadBundle,
} from '../../src/bundle/index.ts';
import { digestOfManifest } from '../../src/bundle/manifest.ts';
import { createSubmission, neededBundles } from '../../src/cluster/index.ts';
import { everyOrder, steppedBucket, type Turns } from './every-order.ts';
import { RUN, sharedFixture } from './shared-fixture.ts';
import { SimulatedDisk } from './simulated-disk.ts';

const CONTENT = Buffer.from('export default 1;\n');

/** A bundle of one file, in memory: nothing waits for a disk. */
async function tinyBundle(disk: SimulatedDisk): Promise<Bundle> {
  await disk.makeDir('/code');
  await using file = await disk.open('/code/a.ts', 'create');
  await file.write(CONTENT, 0);
  const manifest: Bundle['manifest'] = {
    ...{ data: [], format: 'holdfast-bundle', image: null, lock: null, node: 24, programs: [], version: 1 },
    files: [{ executable: false, path: 'a.ts', sha256: digestOf(CONTENT), size: CONTENT.length }],
  };
  return {
    ...{ digest: digestOfManifest(manifest), manifest, root: '/code', dir: '', revision: undefined },
    ...{ isDirty: false, dirtyFiles: [], leftOut: [], filesFrom: (path) => `/code/${path}` },
  };
}

/** A bucket with a bundle that no run names, and two who use it. */
async function setUp() {
  const disk = new SimulatedDisk();
  const bundle = await tinyBundle(disk);
  const fixture = sharedFixture();
  const { bucket, clock } = fixture;
  await uploadBundle(fixture.place, bundle, { disk });
  const submission = { ...fixture.submission, work: { ...fixture.submission.work, bundle: bundle.digest } };
  const submit = async (of: Bucket, rest: () => Promise<void>) => {
    const place = { bucket: of, prefix: '' };
    const takeBack = await signSubmit(place, { clock: { ...clock, sleep: rest }, random: seededRandom(1) });
    await uploadBundle(place, bundle, { disk });
    await createSubmission(place, submission);
    await takeBack();
  };
  const collect = (of: Bucket) => {
    const place = { bucket: of, prefix: '' };
    const ports = { clock, random: seededRandom(2), nowMs: clock.nowMs(), isDryRun: false };
    return collectSentBundles(place, { ...ports, needed: () => neededBundles(place) });
  };
  const keys = async () => (await Array.fromAsync(bucket.list('bundles/'))).map(({ key }) => key);
  return { ...fixture, bundle, submit, collect, keys };
}

/** Writes, and the looks that decide. */
const decides = (what: string, key: string) =>
  ['create', 'remove', 'listFolder'].includes(what) || (what === 'list' && key.includes('bundles/'));

test('[BUN-15] [BUN-16] whatever the order, no run is submitted whose bundle is gone', async () => {
  const ends = { skipped: 0, removed: 0, needed: 0 };
  const orders = await everyOrder(async () => {
    const scene = await setUp();
    let found: Awaited<ReturnType<typeof scene.collect>> | undefined;
    const submit = ({ step, rest }: Turns) => scene.submit(steppedBucket(scene.bucket, step, decides), rest);
    const collect = async ({ step }: Turns) => {
      found = await scene.collect(steppedBucket(scene.bucket, step, decides));
    };
    return {
      actors: [submit, collect],
      check: async () => {
        const { digest, manifest } = scene.bundle;
        expect(await readBundleManifest(scene.place, digest)).toEqual(manifest);
        // No sign is left, and the content is there.
        expect(await scene.keys()).toHaveLength(2);
        ends[found?.kept !== undefined ? 'skipped' : found?.removed.length === 1 ? 'removed' : 'needed']++;
        expect(await scene.bucket.stat(`${RUN}/shared/submission`)).toBeDefined();
      },
    };
  }, 4);
  expect(orders).toBeGreaterThan(100);
  for (const times of Object.values(ends)) expect(times).toBeGreaterThan(0);
});

test('[BUN-15] a submit that died keeps everything for a day, and what it left goes then', async () => {
  const { bucket, clock, collect, keys } = await setUp();
  await bucket.create('bundles/submits/dead', new Uint8Array());
  await clock.advance(86_000_000);
  expect(await collect(bucket)).toMatchObject({ kept: 'somebody is submitting a run', removed: [] });
  expect(await keys()).toHaveLength(3);
  await clock.advance(1_000_000);
  expect(await collect(bucket)).toMatchObject({ removed: [{ bytes: expect.any(Number) }] });
  expect(await keys()).toEqual([]);
});

test('[BUN-16] a submit waits for a collection, and for one that died two minutes', async () => {
  const { bucket, clock, keys, submit } = await setUp();
  await bucket.create('bundles/collections/dead', new Uint8Array());
  let isDone = false;
  const submitting = submit(bucket, () => clock.sleep(1_000)).then(() => {
    isDone = true;
  });
  await clock.advance(118_000);
  expect(isDone).toBe(false);
  await clock.advance(5_000);
  await submitting;
  expect(await keys()).toHaveLength(3);
});

test('[BUN-16] a collection that takes long stops while whoever submits still waits for it', async () => {
  const { bucket, clock, collect, keys } = await setUp();
  const slow = steppedBucket(
    bucket,
    () => clock.advance(61_000),
    (what, key) => what === 'list' && key.includes('objects'),
  );
  expect(await collect(slow)).toMatchObject({ kept: expect.stringContaining('too long') });
  expect(await keys()).toHaveLength(2);
});

test('[BUN-16] while something of a run cannot be read, or its submission is gone, all bundles stay', async () => {
  const torn = await setUp();
  await torn.bucket.create('other/shared/submission', Buffer.from('{"format":'));
  expect(await torn.collect(torn.bucket)).toMatchObject({ kept: 'nobody can tell which one other needs' });
  const gone = await setUp();
  await gone.bucket.create('other/shared/rounds/0001', Buffer.from('{}'));
  expect(await gone.collect(gone.bucket)).toMatchObject({ kept: 'nobody can tell which one other needs' });
  for (const { keys } of [torn, gone]) expect(await keys()).toHaveLength(2);
});
