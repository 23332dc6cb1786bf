import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  building,
  buildOf,
  buildOn,
  neverBuild,
  openCache,
  partsOf,
} from '../../test/sim/artifact-fixture.ts';
import { sweepCrashes } from '../../test/sim/crash-sweep.ts';
import { overwrite } from '../../test/sim/overwrite.ts';
import { useTempDir } from '../../test/sim/use-temp-dir.ts';
import { withMethods } from '../../test/sim/with-methods.ts';
import { digestOf } from '../base/index.ts';
import { explainDiskError, nodeDisk, tempPathFor, tryLock } from '../disk/index.ts';
import {
  type ArtifactCache,
  type Damage,
  folderSource,
  type Pin,
  pinOf,
  recipeOf,
  type StoredGeneration,
  type UnitRecipe,
  type Use,
} from './index.ts';
import { lockPath, recipeDir } from './layout.ts';

const dir = useTempDir();
const FILES = { 'a.md': 'alpha', 'b/c.md': 'gamma' };

async function built(cache: ArtifactCache, key = 'db', files = FILES): Promise<StoredGeneration> {
  return (await cache.buildOnce(partsOf(key), building(buildOf(files)))).generation;
}

describe('what is kept', () => {
  test('[ART-8] a generation is found again by its recipe, its pin and its digest, and is verified when used', async () => {
    const cache = openCache(dir.path);
    const unit: UnitRecipe = recipeOf(partsOf());
    expect(await cache.use(unit)).toEqual({ kind: 'absent' });
    const generation = await built(cache);
    expect(await cache.use(unit)).toEqual({ kind: 'usable', generation });
    const pin: Pin = pinOf(generation);
    const use: Use = await cache.use(pin);
    expect(use).toEqual({ kind: 'usable', generation });
    expect(await cache.find(generation.manifest.digest)).toEqual(generation);
    expect(await cache.find(digestOf('another'))).toBeUndefined();
    expect(await cache.current(unit)).toEqual(generation);
    expect((await cache.units()).map(({ kind, key }) => [kind, key])).toEqual([['knowledge', 'db']]);
  });

  test('[ART-6] any text can be a kind or a key, also those that differ in case only', async () => {
    const cache = openCache(dir.path);
    const keys = ['a/b', '..', 'California Schools', 'california schools', 'x'.repeat(300), 'con'];
    for (const key of keys) await built(cache, key, { f: key } as never);
    expect((await cache.units()).map(({ key }) => key).toSorted()).toEqual(keys.toSorted());
    for (const key of keys) expect((await cache.use(recipeOf(partsOf(key)))).kind).toBe('usable');
  });

  test('a cache is no part of the repository that it lies in', async () => {
    await built(openCache(join(dir.path, '.holdfast/artifacts')));
    execFileSync('git', ['init', '-q'], { cwd: dir.path });
    expect(execFileSync('git', ['status', '--porcelain'], { cwd: dir.path, encoding: 'utf8' })).toBe('');
  });

  test('[ART-2] changed inputs are another recipe: the old one stays, and both are listed', async () => {
    const cache = openCache(dir.path);
    const old = await built(cache);
    const changed = partsOf('db', { inputs: [{ name: 'schema', kind: 'file', digest: digestOf('new') }] });
    await cache.buildOnce(changed, building(buildOf({ 'a.md': 'new' })));
    expect(await cache.units()).toHaveLength(2);
    expect(await cache.use(recipeOf(partsOf()))).toEqual({ kind: 'usable', generation: old });
  });

  test('[ART-6] temporary names, scrap without a manifest and files in the way are never taken for a generation', async () => {
    const cache = openCache(dir.path);
    const folder = recipeDir(dir.path, recipeOf(partsOf()));
    const whole = await built(openCache(join(dir.path, 'other')));
    const temp = tempPathFor(join(folder, 'x'));
    mkdirSync(folder, { recursive: true });
    symlinkSync(whole.dir, join(folder, '20260101T000000000-linklinkli'));
    mkdirSync(join(folder, '20260101T000000000-scrapscrap', 'files'), { recursive: true });
    mkdirSync(temp);
    writeFileSync(join(temp, 'manifest.json'), '{}');
    writeFileSync(join(folder, '20260101T000000000-filefilefi'), '');
    expect(await cache.use(recipeOf(partsOf()))).toEqual({ kind: 'absent' });
    expect(await cache.units()).toEqual([]);
    expect((await cache.buildOnce(partsOf(), building(buildOf(FILES)))).origin).toBe('built');
    expect((await cache.buildOnce(partsOf(), building(neverBuild))).origin).toBe('here');
  });

  test('[ART-7] a rebuild replaces all that is there, and is current although its recipe is the same', async () => {
    const cache = openCache(dir.path);
    const first = await built(cache);
    const again = building(buildOf({ 'a.md': 'better' }), { isRebuild: true });
    const second = (await cache.buildOnce(partsOf(), again)).generation;
    const third = (await cache.buildOnce(partsOf(), again)).generation;
    expect(second.manifest.supersedes).toEqual([first.manifest.generation]);
    expect(third.manifest.supersedes).toEqual([first, second].map(({ manifest }) => manifest.generation));
    expect(third.manifest.recipe).toBe(first.manifest.recipe);
    expect(await cache.current(recipeOf(partsOf()))).toEqual(third);
    // A run that pinned the first keeps it.
    expect(await cache.use(pinOf(first))).toEqual({ kind: 'usable', generation: first });
  });
});

const HARM: Readonly<Record<string, (generation: StoredGeneration) => void>> = {
  'a changed byte': ({ filesDir }) => overwrite(join(filesDir, 'a.md'), 'alphA'),
  'a byte more': ({ filesDir }) => overwrite(join(filesDir, 'a.md'), 'alpha!'),
  'a missing file': ({ filesDir }) => rmSync(join(filesDir, 'b/c.md')),
  'a missing folder': ({ filesDir }) => rmSync(filesDir, { recursive: true }),
  'a file more': ({ filesDir }) => writeFileSync(join(filesDir, 'legacy.md'), ''),
  'a link': ({ filesDir }) => symlinkSync('a.md', join(filesDir, 'link')),
  'a changed manifest': ({ dir: at }) => overwrite(join(at, 'manifest.json'), '{"format":1}'),
  'a torn manifest': ({ dir: at }) => overwrite(join(at, 'manifest.json'), '{"form'),
};

const reasonOf = ({ generation, reason }: Damage) => `${generation}: ${reason}`;

describe('what is damaged', () => {
  test.each(Object.keys(HARM))(
    '[ART-9] %s: it is set aside whole, said, remembered, and not built over',
    async (name) => {
      const cache = openCache(dir.path);
      const generation = await built(cache);
      HARM[name]?.(generation);
      const unit = recipeOf(partsOf());
      const use = await cache.use(unit);
      expect(use).toMatchObject({ kind: 'damaged', damage: { generation: generation.manifest.generation } });
      if (use.kind !== 'damaged') return;
      expect(existsSync(generation.dir)).toBe(false);
      expect(readdirSync(join(dir.path, 'damaged'))).toHaveLength(2);
      expect(existsSync(use.damage.place)).toBe(true);
      // Asked again it still says so, and nobody builds it by himself.
      expect(await cache.use(unit)).toEqual(use);
      expect((await cache.use(pinOf(generation))).kind).toBe('damaged');
      await expect(cache.buildOnce(partsOf(), building(neverBuild))).rejects.toMatchObject({
        code: 'E_ARTIFACT_DAMAGED',
      });
      expect((await cache.damages()).map(reasonOf)).toEqual([reasonOf(use.damage)]);
      const rebuilt = await cache.buildOnce(partsOf(), building(buildOf(FILES), { isRebuild: true }));
      expect(rebuilt.generation.manifest.supersedes).toEqual([generation.manifest.generation]);
      expect((await cache.use(unit)).kind).toBe('usable');
      expect((await cache.use(pinOf(generation))).kind).toBe('damaged');
    },
  );

  test('[ART-9] the files are named', async () => {
    const cache = openCache(dir.path);
    const { filesDir } = await built(cache);
    rmSync(join(filesDir, 'a.md'));
    overwrite(join(filesDir, 'b/c.md'), 'gamme');
    const use = await cache.use(recipeOf(partsOf()));
    expect(use).toMatchObject({
      damage: {
        reason: 'a.md is missing, b/c.md is not what it was',
        files: [
          { path: 'a.md', problem: 'missing' },
          { path: 'b/c.md', problem: 'changed' },
        ],
      },
    });
  });

  test('[ART-9] a damaged rebuild does not bring back what it replaced', async () => {
    const cache = openCache(dir.path);
    await built(cache);
    const { generation } = await cache.buildOnce(partsOf(), building(buildOf(FILES), { isRebuild: true }));
    rmSync(join(generation.filesDir, 'a.md'));
    const unit = recipeOf(partsOf());
    for (let turn = 0; turn < 2; turn++) {
      expect((await cache.use(unit)).kind).toBe('damaged');
      // Whoever only looks is told the same as whoever uses it.
      expect(await cache.current(unit)).toBeUndefined();
      expect(await cache.standing(unit)).toMatchObject({
        kind: 'damaged',
        damage: { generation: generation.manifest.generation },
      });
      const { recipes, unusable } = await cache.survey();
      expect(recipes.map(({ generations, current }) => [generations.length, current])).toEqual([
        [1, undefined],
      ]);
      expect(unusable).toMatchObject([{ generation: generation.manifest.generation, isCurrent: true }]);
    }
    const again = building(buildOf(FILES), { isRebuild: true });
    const third = (await cache.buildOnce(partsOf(), again)).generation;
    expect(await cache.current(unit)).toEqual(third);
    expect((await cache.survey()).unusable).toEqual([]);
  });

  test.each(['a torn manifest', 'a changed manifest'])(
    '[ART-9] %s of a rebuild does not bring back what it replaced either: nobody knows what that was',
    async (name) => {
      const cache = openCache(dir.path);
      await built(cache);
      const { generation } = await cache.buildOnce(partsOf(), building(buildOf(FILES), { isRebuild: true }));
      HARM[name]?.(generation);
      const unit = recipeOf(partsOf());
      // First where it lies, then set aside, then with a reason that cannot be read.
      expect((await cache.standing(unit)).kind).toBe('damaged');
      expect((await cache.use(unit)).kind).toBe('damaged');
      expect((await cache.standing(unit)).kind).toBe('damaged');
      const reason = readdirSync(join(dir.path, 'damaged')).find((one) => one.endsWith('.json')) ?? '';
      writeFileSync(join(dir.path, 'damaged', reason), 'torn');
      expect((await cache.use(unit)).kind).toBe('damaged');
    },
  );

  test('[ART-6] what lies where a generation belongs and cannot be read is told, also without a manifest; temporary names are not', async () => {
    const cache = openCache(dir.path);
    const [torn, bare] = [await built(cache, 'torn'), await built(cache, 'bare')];
    overwrite(join(torn.dir, 'manifest.json'), '{');
    rmSync(join(bare.dir, 'manifest.json'));
    mkdirSync(tempPathFor(join(dirname(bare.dir), 'x')));
    const { recipes, unusable } = await cache.survey();
    expect(recipes).toEqual([]);
    expect(unusable).toMatchObject([
      { key: 'bare', generation: bare.manifest.generation, reason: 'it has no manifest', isCurrent: false },
      { key: 'torn', generation: torn.manifest.generation, isCurrent: true },
    ]);
  });

  test('[ART-9] a reason that cannot be read still keeps others from building over it', async () => {
    const cache = openCache(dir.path);
    const { filesDir } = await built(cache);
    rmSync(join(filesDir, 'a.md'));
    await cache.use(recipeOf(partsOf()));
    const reason = readdirSync(join(dir.path, 'damaged')).find((name) => name.endsWith('.json')) ?? '';
    writeFileSync(join(dir.path, 'damaged', reason), 'torn');
    await expect(cache.buildOnce(partsOf(), building(neverBuild))).rejects.toMatchObject({
      code: 'E_ARTIFACT_DAMAGED',
    });
  });

  test('while somebody else has the lock, damage is told and nothing is moved', async () => {
    const cache = openCache(dir.path);
    const { filesDir, dir: at } = await built(cache);
    rmSync(join(filesDir, 'a.md'));
    using _lock = tryLock(lockPath(dir.path, recipeOf(partsOf()).recipe));
    expect((await cache.use(recipeOf(partsOf()))).kind).toBe('damaged');
    expect(existsSync(at)).toBe(true);
  });

  test('[ART-9] what goes away while it is read is gone, not damaged', async () => {
    const { dir: at, filesDir } = await built(openCache(dir.path));
    const vanishing = withMethods(nodeDisk, {
      list: async (path) => {
        if (path === filesDir) rmSync(at, { recursive: true, force: true });
        return nodeDisk.list(path);
      },
    });
    expect(await openCache(dir.path, vanishing).use(recipeOf(partsOf()))).toEqual({ kind: 'absent' });
    expect(existsSync(join(dir.path, 'damaged'))).toBe(false);
  });

  test('a later format is neither used nor set aside', async () => {
    const cache = openCache(dir.path);
    const { dir: at } = await built(cache);
    overwrite(join(at, 'manifest.json'), '{"format":2}');
    expect(await cache.use(recipeOf(partsOf()))).toEqual({ kind: 'absent' });
    expect(existsSync(at)).toBe(true);
  });

  test.each([
    ['no manifest', (at: string) => rmSync(join(at, 'manifest.json')), 'E_ARTIFACT_DAMAGED'],
    [
      'a later format',
      (at: string) => overwrite(join(at, 'manifest.json'), '{"format":2}'),
      'E_ARTIFACT_NEWER',
    ],
  ])(
    '[ART-6] a rebuild with %s brings back nothing that it replaced: not in lists, not for runs; a rebuild ends that',
    async (_, harm, code) => {
      const cache = openCache(dir.path);
      await built(cache);
      const again = building(buildOf({ 'a.md': 'better' }), { isRebuild: true });
      const { generation } = await cache.buildOnce(partsOf(), again);
      harm(generation.dir);
      const unit = recipeOf(partsOf());
      const damaged = { kind: 'damaged', damage: { generation: generation.manifest.generation } };
      expect(await cache.standing(unit)).toMatchObject(damaged);
      expect(await cache.use(unit)).toMatchObject(damaged);
      expect((await cache.survey()).recipes).toMatchObject([{ current: undefined }]);
      expect((await cache.survey()).unusable).toMatchObject([{ isCurrent: true }]);
      await expect(cache.buildOnce(partsOf(), building(neverBuild))).rejects.toMatchObject({ code });
      expect(existsSync(generation.dir)).toBe(true);
      const third = (await cache.buildOnce(partsOf(), again)).generation;
      expect((await cache.current(unit))?.manifest).toEqual(third.manifest);
    },
  );

  test('[ART-7] a rebuild supersedes what cannot be read, also when nobody set it aside', async () => {
    const cache = openCache(dir.path);
    const torn = await built(cache);
    overwrite(join(torn.dir, 'manifest.json'), '{');
    const again = building(buildOf(FILES), { isRebuild: true });
    const { generation } = await cache.buildOnce(partsOf(), again);
    expect(generation.manifest.supersedes).toEqual([torn.manifest.generation]);
    expect((await cache.current(recipeOf(partsOf())))?.manifest).toEqual(generation.manifest);
  });

  test('a pin that another generation took the id of is conflicting', async () => {
    const cache = openCache(dir.path);
    const generation = await built(cache);
    const use = await cache.use({ ...pinOf(generation), digest: digestOf('another') });
    expect(use).toEqual({ kind: 'conflicting', generation });
  });
});

test.each(['EACCES', 'EROFS'])(
  'a cache that may not be written (%s) is said as such, and can still be used',
  async (errno) => {
    const whole = await built(openCache(dir.path));
    const denying = withMethods(nodeDisk, {
      makeDir: async (path) => {
        throw explainDiskError(Object.assign(new Error(`${errno}: denied`), { code: errno }), path);
      },
    });
    const cache = openCache(dir.path, denying);
    expect(await cache.use(recipeOf(partsOf()))).toEqual({ kind: 'usable', generation: whole });
    const denied = {
      code: 'E_ARTIFACT_CACHE_DENIED',
      message: `The warm cache ${dir.path} cannot be written by this user, or lies on a disk that is read-only.`,
      hint: expect.stringContaining('--cache'),
    };
    await expect(cache.buildOnce(partsOf('other'), building(neverBuild))).rejects.toMatchObject(denied);
    await built(openCache(join(dir.path, 'there')), 'more');
    const { report } = await cache.merge([folderSource(nodeDisk, join(dir.path, 'there'))]);
    expect(report.entries).toMatchObject([{ state: 'failed', reason: denied.message }]);
  },
);

describe('crashes', () => {
  test('[ART-3] a build that dies at any step leaves a whole generation or none, and the next one succeeds', async () => {
    const build = (disk: Parameters<typeof openCache>[1] & object) =>
      openCache('/cache', disk).buildOnce(partsOf(), building(buildOn(disk, FILES)));
    const tried = await sweepCrashes({
      act: build,
      check: async (disk, result) => {
        const use = await openCache('/cache', disk).use(recipeOf(partsOf()));
        expect(['usable', 'absent']).toContain(use.kind);
        if (result) expect(use).toEqual({ kind: 'usable', generation: result.value.generation });
        expect((await build(disk)).origin).toBe(use.kind === 'usable' ? 'here' : 'built');
      },
      seeds: 6,
    });
    expect(tried).toBeGreaterThan(100);
  });

  test('[ART-9] setting aside that dies at any step never lets a damaged one be used or forgotten', async () => {
    await sweepCrashes({
      prepare: async (disk) => {
        const { generation } = await openCache('/cache', disk).buildOnce(
          partsOf(),
          building(buildOn(disk, FILES)),
        );
        const path = join(generation.filesDir, 'a.md');
        await using file = await disk.open(path, 'update');
        await file.write(Buffer.from('A'), 0);
        await file.sync();
      },
      act: async (disk) => openCache('/cache', disk).use(recipeOf(partsOf())),
      check: async (disk) => {
        const cache = openCache('/cache', disk);
        expect((await cache.use(recipeOf(partsOf()))).kind).toBe('damaged');
        await expect(cache.buildOnce(partsOf(), building(neverBuild))).rejects.toMatchObject({
          code: 'E_ARTIFACT_DAMAGED',
        });
      },
      seeds: 10,
    });
  });
});
