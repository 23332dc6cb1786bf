import { join } from 'node:path';
import { expect, test } from 'vitest';
import { bundleOf, makeProject, writeFiles } from '../../test/sim/bundle-fixture.ts';
import { manualClock } from '../../test/sim/manual-clock.ts';
import { memoryBucket } from '../../test/sim/memory-bucket.ts';
import { useTempDir } from '../../test/sim/use-temp-dir.ts';
import { seededRandom } from '../base/index.ts';
import { nodeDisk } from '../disk/index.ts';
import { manifestKey } from './bundle.ts';
import { type CollectSentOptions, collectSentBundles } from './collect-sent.ts';
import { readBundleManifest } from './read-manifest.ts';
import { uploadBundle } from './upload-bundle.ts';

const temp = useTempDir();

/** Two bundles in a bucket, which share all but one file. */
async function sent() {
  const clock = manualClock();
  const place = { bucket: memoryBucket({ nowMs: () => clock.nowMs() }), prefix: 'p/' };
  const project = makeProject(join(temp.path, 'project'));
  const send = async () => {
    const bundle = await bundleOf(project);
    await uploadBundle(place, bundle, { disk: nodeDisk });
    return bundle.digest;
  };
  const first = await send();
  writeFiles(project, { 'lib/add.ts': 'new' });
  const second = await send();
  const collect = (needed: readonly string[], more: Partial<CollectSentOptions> = {}) =>
    collectSentBundles(place, {
      ...{ clock, random: seededRandom(1), nowMs: clock.nowMs(), isDryRun: false },
      needed: async () => new Set(needed),
      ...more,
    });
  const sizes = async () =>
    new Map(
      (await Array.fromAsync(place.bucket.list('p/bundles/'))).map(({ key, sizeBytes }) => [key, sizeBytes]),
    );
  return { clock, place, first, second, collect, sizes };
}

test('[BUN-16] a bundle that no run names goes, with the contents that no other has; a dry run says so, and removes nothing', async () => {
  const { place, first, second, collect, sizes } = await sent();
  const before = await sizes();
  const would = await collect([second], { isDryRun: true });
  expect(await sizes()).toEqual(before);
  expect(await collect([second])).toEqual(would);
  const after = await sizes();
  const gone = [...before.keys()].filter((key) => !after.has(key));
  expect(gone).toEqual([manifestKey(place, first), expect.stringContaining('p/bundles/objects/')]);
  const bytes = gone.reduce((sum, key) => sum + (before.get(key) ?? 0), 0);
  expect(would).toEqual({ removed: [{ digest: first, bytes }], strays: { files: 0, bytes: 0 } });
  expect(await readBundleManifest(place, second)).toBeDefined();
  expect(await collect([second])).toEqual({ removed: [], strays: { files: 0, bytes: 0 } });
});

test('[BUN-16] what an upload left that died goes; what a bundle has that cannot be read keeps everything', async () => {
  const { place, first, second, collect, sizes } = await sent();
  const stray = `p/bundles/objects/00/${'0'.repeat(64)}`;
  await place.bucket.create(stray, Buffer.from('half'));
  expect(await collect([first, second])).toEqual({ removed: [], strays: { files: 1, bytes: 4 } });
  await place.bucket.remove(manifestKey(place, second));
  const before = await sizes();
  expect(await collect([first, second])).toMatchObject({
    kept: `what the bundle ${second.slice(0, 12)} has cannot be read`,
  });
  expect(await sizes()).toEqual(before);
});

test('[BUN-16] signs of whoever died go, and a collection leaves none, also when it fails', async () => {
  const { clock, place, first, second, collect, sizes } = await sent();
  await place.bucket.create('p/bundles/collections/dead', new Uint8Array());
  await place.bucket.create('p/bundles/submits/dead', new Uint8Array());
  await clock.advance(86_500_000);
  const away = { needed: () => Promise.reject(new Error('the cable is cut')) };
  await expect(collect([], away)).rejects.toThrow('the cable is cut');
  await collect([first, second]);
  expect([...(await sizes()).keys()].filter((key) => /submits|collections/.test(key))).toEqual([]);
});
