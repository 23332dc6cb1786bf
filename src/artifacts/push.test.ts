import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { building, buildOf, neverBuild, openCache, partsOf } from '../../test/sim/artifact-fixture.ts';
import { type BucketFault, FaultyBucket } from '../../test/sim/faulty-bucket.ts';
import { idOf, makeGenerationData, putGeneration } from '../../test/sim/generation-maker.ts';
import { memoryBucket } from '../../test/sim/memory-bucket.ts';
import { overwrite } from '../../test/sim/overwrite.ts';
import { useTempDir } from '../../test/sim/use-temp-dir.ts';
import { withMethods } from '../../test/sim/with-methods.ts';
import type { Bucket } from '../bucket/index.ts';
import { nodeDisk } from '../disk/index.ts';
import { manifestKey, objectKey, refOf } from './bucket-layout.ts';
import {
  type ArtifactCache,
  bucketSource,
  isComplete,
  pushGenerations,
  recipeOf,
  type StoredGeneration,
} from './index.ts';

const dir = useTempDir();
const FILES = { 'a.md': 'alpha', 'b.md': 'beta' };
const cacheAt = (name: string) => openCache(join(dir.path, name));

async function built(cache: ArtifactCache, key = 'db', files: Readonly<Record<string, string>> = FILES) {
  return (await cache.buildOnce(partsOf(key), building(buildOf(files)))).generation;
}

const push = (bucket: Bucket, ...generations: readonly StoredGeneration[]) =>
  pushGenerations(generations, { disk: nodeDisk, bucket });
const pull = async (bucket: Bucket, name = 'other') =>
  (await cacheAt(name).merge([bucketSource({ disk: nodeDisk, bucket })])).report;

async function keysOf(bucket: Bucket): Promise<string[]> {
  return (await Array.fromAsync(bucket.list(''))).map(({ key }) => key);
}

describe('what goes into a bucket', () => {
  test('[ART-13] content by its digest, once; the manifest last; and another machine pulls it and builds nothing', async () => {
    const bucket = memoryBucket();
    const created: string[] = [];
    const watched = withMethods(bucket, {
      create: (key, bytes, signal) => {
        created.push(key);
        return bucket.create(key, bytes, signal);
      },
    });
    const one = await built(cacheAt('here'));
    const two = await built(cacheAt('here'), 'db2', { 'x.md': 'alpha', 'y.md': 'alpha' });
    expect(await push(watched, one, two)).toMatchObject([
      { unit: 'knowledge/db', state: 'pushed', files: 2, bytes: 9 },
      { unit: 'knowledge/db2', state: 'pushed', files: 0, bytes: 0 },
    ]);
    expect(created.map((key) => key.replace(/^.*\./, '')).filter((ending) => !ending.includes('/'))).toEqual([
      'due',
      'json',
      'due',
      'json',
    ]);
    expect(created[3]).toBe(manifestKey(refOf(one.manifest)));
    expect((await keysOf(bucket)).filter((key) => key.endsWith('.due'))).toEqual([]);
    const report = await pull(bucket);
    expect(report.entries.map(({ state }) => state)).toEqual(['installed', 'installed']);
    expect(report.sources).toMatchObject([{ state: 'read', generations: 2 }]);
    expect((await cacheAt('other').buildOnce(partsOf(), building(neverBuild))).generation.manifest).toEqual(
      one.manifest,
    );
  });

  test('[ART-13] what is there is not sent again', async () => {
    const bucket = memoryBucket();
    const one = await built(cacheAt('here'));
    await push(bucket, one);
    const quiet = withMethods(bucket, { create: () => Promise.reject(new Error('nothing is to be sent')) });
    expect(await push(quiet, one)).toMatchObject([{ state: 'already-there', files: 0 }]);
    expect((await pull(bucket, 'here')).entries).toMatchObject([{ state: 'already-here' }]);
  });

  test('[ART-13] a rebuild travels although its recipe is the same, and is current where it arrives', async () => {
    const bucket = memoryBucket();
    await push(bucket, await built(cacheAt('here')));
    await pull(bucket);
    const again = building(buildOf({ 'a.md': 'better' }), { isRebuild: true });
    await push(bucket, (await cacheAt('here').buildOnce(partsOf(), again)).generation);
    const report = await pull(bucket);
    expect(report.changes).toHaveLength(1);
    expect(report.entries.map(({ state }) => state)).toEqual(['already-here', 'installed']);
  });

  test('[ART-13] what is damaged here is not sent', async () => {
    const bucket = memoryBucket();
    const one = await built(cacheAt('here'));
    overwrite(join(one.filesDir, 'a.md'), 'alphA');
    expect(await push(bucket, one)).toMatchObject([{ state: 'damaged', reason: 'a.md is not what it was' }]);
    expect(await keysOf(bucket)).toEqual([]);
  });

  test('[ART-13] a word of the bucket that an object exists decides nothing about another: only digests are compared', async () => {
    const bucket = memoryBucket();
    const one = await built(cacheAt('here'));
    await push(bucket, one);
    await bucket.remove(objectKey(one.manifest.files[0]?.sha256 ?? ''));
    expect((await pull(bucket)).entries).toMatchObject([{ state: 'incomplete', reason: 'a.md is missing' }]);
    // Pushing again brings back what is missing.
    expect(await push(bucket, one)).toMatchObject([{ state: 'pushed', files: 1 }]);
    expect((await pull(bucket)).entries).toMatchObject([{ state: 'installed' }]);
  });

  test('[ART-13] another one of that id in the bucket stays', async () => {
    const bucket = memoryBucket();
    for (const [name, files] of [
      ['here', FILES],
      ['there', { z: 'z' }],
    ] as const)
      await putGeneration(nodeDisk, join(dir.path, name), makeGenerationData({ number: 1, files }));
    const currentAt = async (name: string) => (await cacheAt(name).units())[0]?.current;
    const [one, other] = [await currentAt('here'), await currentAt('there')];
    if (!one || !other) throw new Error('they were put there');
    await push(bucket, one);
    expect(await push(bucket, other)).toMatchObject([{ state: 'conflicting', generation: idOf(1) }]);
    expect((await pull(bucket)).entries).toMatchObject([{ digest: one.manifest.digest }]);
  });
});

describe('what a bucket may do', () => {
  test('[ART-13] an upload that dies at any request is never pulled, is named, and is completed by the next', async () => {
    const here = cacheAt('here');
    const one = await built(here);
    const requests: readonly BucketFault['on'][] = ['create', 'create', 'create', 'create'];
    for (const after of requests.keys()) {
      for (const kind of ['timeout', 'lostAcknowledgement'] as const) {
        const bucket = memoryBucket();
        using faulty = new FaultyBucket(bucket, [{ on: 'create', kind, after }]);
        const [entry] = await push(faulty, one);
        expect(entry?.state).toBe('failed');
        const report = await pull(bucket, `o${after}${kind}`);
        const isThere = after === 3 && kind === 'lostAcknowledgement';
        const isNothing = after === 0 && kind === 'timeout';
        expect(report.entries.map(({ state }) => state)).toEqual(
          isNothing ? [] : [isThere ? 'installed' : 'incomplete'],
        );
        expect(await push(bucket, one)).toMatchObject([{ state: isThere ? 'already-there' : 'pushed' }]);
        expect(isComplete(await pull(bucket, `o${after}${kind}`))).toBe(true);
      }
    }
  });

  test('whoever stops a push between two generations is told what was not reached', async () => {
    const here = cacheAt('here');
    const all = [await built(here, 'k1'), await built(here, 'k2', { a: '2' })];
    const stop = new AbortController();
    const entries = await pushGenerations(all, {
      disk: nodeDisk,
      bucket: memoryBucket(),
      stop: stop.signal,
      onProgress: () => stop.abort(new Error('Stopped by SIGINT')),
    });
    expect(entries.map(({ state, reason }) => [state, reason])).toEqual([
      ['pushed', undefined],
      ['failed', 'not reached: it was stopped before'],
    ]);
  });

  test('[ART-13] one unit that fails does not stop the others', async () => {
    const here = cacheAt('here');
    const all = [
      await built(here, 'k1', { a: '1' }),
      await built(here, 'k2', { a: '2' }),
      await built(here, 'k3', { a: '3' }),
    ];
    using faulty = new FaultyBucket(memoryBucket(), [{ on: 'create', kind: 'denied', at: /k2/ }]);
    expect((await push(faulty, ...all)).map(({ state }) => state)).toEqual(['pushed', 'failed', 'pushed']);
  });

  test('[ART-13] a list of content that fails makes more be sent, never less', async () => {
    using faulty = new FaultyBucket(memoryBucket(), [{ on: 'list', kind: 'timeout' }]);
    expect(await push(faulty, await built(cacheAt('here')))).toMatchObject([{ state: 'pushed', files: 2 }]);
  });

  test('[ART-13] a bucket that cannot be listed is failed, never empty', async () => {
    using faulty = new FaultyBucket(memoryBucket(), [{ on: 'list', kind: 'denied' }]);
    const report = await pull(faulty);
    expect(report.sources).toMatchObject([{ state: 'failed' }]);
    expect(isComplete(report)).toBe(false);
  });

  test('[ART-13] wrong bytes are corrupt, an unreadable manifest is corrupt and not absent, and the others come', async () => {
    const bucket = memoryBucket();
    const here = cacheAt('here');
    const [one, two, three] = [
      await built(here, 'k1', { a: 'one' }),
      await built(here, 'k2', { a: 'two' }),
      await built(here, 'k3', { a: 'three' }),
    ];
    await push(bucket, one, two, three);
    const wrong = objectKey(one.manifest.files[0]?.sha256 ?? '');
    await bucket.remove(wrong);
    await bucket.create(wrong, Buffer.from('onE'));
    await bucket.remove(manifestKey(refOf(two.manifest)));
    await bucket.create(manifestKey(refOf(two.manifest)), Buffer.from('{"format":1'));
    const report = await pull(bucket);
    const states = Object.fromEntries(report.entries.map(({ generation, state }) => [generation, state]));
    expect(states).toEqual({
      [one.manifest.generation]: 'corrupt',
      [two.manifest.generation]: 'corrupt',
      [three.manifest.generation]: 'installed',
    });
  });

  test('only the recipes that are asked for are listed and pulled', async () => {
    const bucket = memoryBucket();
    const here = cacheAt('here');
    await push(bucket, await built(here, 'k1'), await built(here, 'k2'));
    const source = bucketSource({ disk: nodeDisk, bucket, only: [recipeOf(partsOf('k2'))] });
    const { report } = await cacheAt('other').merge([source]);
    expect(report.entries).toMatchObject([{ unit: 'knowledge/k2', state: 'installed' }]);
  });

  test('large files go past the memory, and are verified as well', async () => {
    const bucket = memoryBucket();
    const one = await built(cacheAt('here'), 'db', { big: 'x'.repeat(17_000_000) });
    expect(await push(bucket, one)).toMatchObject([{ state: 'pushed', bytes: 17_000_000 }]);
    expect((await pull(bucket)).entries).toMatchObject([{ state: 'installed' }]);
    const key = objectKey(one.manifest.files[0]?.sha256 ?? '');
    await bucket.remove(key);
    await bucket.create(key, Buffer.alloc(17_000_000));
    expect((await pull(bucket, 'third')).entries).toMatchObject([{ state: 'corrupt' }]);
    rmSync(join(dir.path, 'third'), { recursive: true });
  });
});
