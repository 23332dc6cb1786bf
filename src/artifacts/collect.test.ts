import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openCache, partsOf } from '../../test/sim/artifact-fixture.ts';
import { sweepCrashes } from '../../test/sim/crash-sweep.ts';
import {
  idOf,
  type MadeOptions,
  makeGenerationData,
  putGeneration,
} from '../../test/sim/generation-maker.ts';
import { useTempDir } from '../../test/sim/use-temp-dir.ts';
import { nodeDisk, tempPathFor, tryLock, whoAmI } from '../disk/index.ts';
import { planCollection } from './collect.ts';
import { newGenerationId, timeOfGeneration } from './generation.ts';
import { pinOf, recipeOf } from './index.ts';
import { lockPath, recipeDir } from './layout.ts';

const dir = useTempDir();
const UNIT = recipeOf(partsOf());
const NEWER = partsOf('db', { version: '2' });

async function put(options: MadeOptions) {
  await putGeneration(nodeDisk, dir.path, makeGenerationData(options));
}

const ids = async () =>
  (await openCache(dir.path).units())
    .flatMap(({ generations }) => generations.map(({ manifest }) => manifest.generation))
    .toSorted();

describe('what may go', () => {
  test('[ART-14] superseded ones and old recipes go; the current one of the newest recipe stays', async () => {
    await put({ number: 1 });
    await put({ number: 2, supersedes: [1] });
    await put({ number: 3, parts: NEWER });
    await put({ number: 4, parts: NEWER, supersedes: [3] });
    await put({ number: 5, parts: partsOf('other') });
    const cache = openCache(dir.path);
    const plan = await cache.planCollection({ olderThanMs: 0 });
    expect(plan.map(({ stored, why }) => [stored.manifest.generation, why]).toSorted()).toEqual([
      [idOf(1), 'not current'],
      [idOf(2), 'old recipe'],
      [idOf(3), 'not current'],
    ]);
    expect(await ids()).toHaveLength(5);
    const { removed, busy } = await cache.collect(plan);
    expect([removed.length, busy.length]).toEqual([3, 0]);
    expect(await ids()).toEqual([idOf(4), idOf(5)]);
    expect(await cache.planCollection({ olderThanMs: 0 })).toEqual([]);
  });

  test('[ART-14] what is pinned, by id or digest, and what is young stays', async () => {
    await put({ number: 1 });
    await put({ number: 2, supersedes: [1] });
    await put({ number: 3, supersedes: [1, 2] });
    const cache = openCache(dir.path);
    const [one, two] = await cache.generations(UNIT);
    if (!one || !two) throw new Error('they were put there');
    const pinned = new Set([pinOf(one).generation, pinOf(two).digest]);
    expect(await cache.planCollection({ olderThanMs: 0, pinned })).toEqual([]);
    const ageMs = Date.now() - timeOfGeneration(idOf(1));
    expect(await cache.planCollection({ olderThanMs: ageMs + 60_000 })).toEqual([]);
  });

  test('[ART-14] whatever there is, every unit keeps a current generation, and nothing is planned twice', () => {
    const some = fc.array(
      fc.record({
        number: fc.nat(20),
        key: fc.constantFrom('a', 'b'),
        version: fc.constantFrom('1', '2', '3'),
        supersedes: fc.array(fc.nat(20), { maxLength: 3 }),
      }),
      { minLength: 1, maxLength: 10 },
    );
    const property = fc.property(some, (all) => {
      const stored = [...new Map(all.map((one) => [one.number, one])).values()].map(
        ({ number, key, version, supersedes }) => ({
          ...makeGenerationData({ number, supersedes, parts: partsOf(key, { version }) }),
          dir: '',
          filesDir: '',
        }),
      );
      const plan = planCollection(stored, { olderThanMs: 0 }, Number.MAX_SAFE_INTEGER);
      const left = stored.filter((one) => !plan.some((planned) => planned.stored === one));
      expect(new Set(left.map(({ manifest }) => manifest.key))).toEqual(
        new Set(stored.map(({ manifest }) => manifest.key)),
      );
      expect(left).toHaveLength(new Set(stored.map(({ manifest }) => manifest.key)).size);
      expect(planCollection(left, { olderThanMs: 0 }, Number.MAX_SAFE_INTEGER)).toEqual([]);
    });
    fc.assert(property);
  });

  test('[ART-14] a recipe that somebody works on is left alone, and said', async () => {
    await put({ number: 1 });
    await put({ number: 2, supersedes: [1] });
    mkdirSync(join(dir.path, 'locks'));
    using _lock = tryLock(lockPath(dir.path, UNIT.recipe));
    const cache = openCache(dir.path);
    expect(await cache.collect(await cache.planCollection({ olderThanMs: 0 }))).toMatchObject({
      removed: [],
      busy: [{ why: 'not current' }],
    });
    expect(await ids()).toHaveLength(2);
  });

  test('[ART-14] what the dead left under temporary names is swept, and what the living have is not', async () => {
    await put({ number: 1 });
    const folder = recipeDir(dir.path, UNIT);
    const own = tempPathFor(join(folder, 'x'));
    const old = tempPathFor(join(folder, 'x'), { self: { ...whoAmI(), processStart: 'never' } });
    for (const temp of [own, old]) mkdirSync(join(temp, 'files'), { recursive: true });
    expect(await openCache(dir.path).collect([])).toMatchObject({ sweptTemps: 1 });
    expect([existsSync(own), existsSync(old)]).toEqual([true, false]);
    expect(readdirSync(folder)).toContain(idOf(1));
  });
});

test('[ART-14] a collection that dies at any step leaves each generation whole or absent', async () => {
  await sweepCrashes({
    prepare: async (disk) => {
      await putGeneration(disk, '/cache', makeGenerationData({ number: 1 }));
      await putGeneration(disk, '/cache', makeGenerationData({ number: 2, supersedes: [1] }));
    },
    act: async (disk) => {
      const cache = openCache('/cache', disk);
      return cache.collect(await cache.planCollection({ olderThanMs: 0 }));
    },
    check: async (disk, result) => {
      const cache = openCache('/cache', disk);
      const left = await cache.generations(UNIT);
      for (const stored of left) expect(await cache.problems(stored)).toEqual([]);
      expect(left.map(({ manifest }) => manifest.generation)).toContain(idOf(2));
      if (result) expect(left).toHaveLength(1);
    },
    seeds: 5,
  });
});

test('the time of a generation is in its id', () => {
  const random = { next: () => 0, bytes: (count: number) => new Uint8Array(count) };
  expect(timeOfGeneration(newGenerationId(1_700_000_000_123, random))).toBe(1_700_000_000_123);
});
