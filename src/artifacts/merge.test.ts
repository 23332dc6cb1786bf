import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { building, buildOf, COST, neverBuild, openCache, partsOf } from '../../test/sim/artifact-fixture.ts';
import { sweepCrashes } from '../../test/sim/crash-sweep.ts';
import { FaultyDisk } from '../../test/sim/faulty-disk.ts';
import {
  type Harm,
  idOf,
  type MadeOptions,
  makeGenerationData,
  putGeneration,
} from '../../test/sim/generation-maker.ts';
import { overwrite } from '../../test/sim/overwrite.ts';
import { useTempDir } from '../../test/sim/use-temp-dir.ts';
import { type Disk, isExecutable, nodeDisk, tryLock } from '../disk/index.ts';
import {
  type ArtifactCache,
  type ArtifactSource,
  type Expected,
  folderSource,
  isComplete,
  type Merged,
  type MergeEntry,
  type MergeReport,
  pinOf,
  recipeOf,
} from './index.ts';
import { lockPath, recipeDir } from './layout.ts';

const dir = useTempDir();
const at = (name: string) => join(dir.path, name);
const from = (name: string): ArtifactSource => folderSource(nodeDisk, at(name));
const UNIT = recipeOf(partsOf());

async function put(name: string, options: MadeOptions, harm?: Harm) {
  await putGeneration(nodeDisk, at(name), makeGenerationData(options), harm);
}

async function merge(
  cache: ArtifactCache,
  names: readonly string[],
  expected?: readonly Expected[],
): Promise<MergeReport> {
  const { report, unwritten }: Merged = await cache.merge(names.map(from), { expected });
  expect(unwritten).toEqual([]);
  return report;
}

const states = ({ entries }: MergeReport) =>
  entries.map(({ generation, state }: MergeEntry) => [generation, state]);

/** What is wrong with a copy, and what is said of it. */
const HARMS: readonly (readonly [Harm, string, string])[] = [
  ['no manifest', 'incomplete', 'it has no manifest'],
  ['torn manifest', 'corrupt', 'its manifest is no JSON object'],
  ['missing file', 'incomplete', 'a.md is missing'],
  ['changed file', 'corrupt', 'a.md is not what its manifest promises'],
];

describe('what a merge takes', () => {
  test('[ART-11] what is new is installed, verified, with its rights and its manifest; what is here is kept', async () => {
    const [here, there] = [openCache(at('here')), openCache(at('there'))];
    const build = async (folder: string) => {
      await buildOf({ 'deep/er/run.sh': '#!', 'b.md': '' })(folder, undefined);
      chmodSync(join(folder, 'deep/er/run.sh'), 0o755);
      return { cost: COST };
    };
    const { generation } = await there.buildOnce(partsOf(), building(build));
    await here.buildOnce(partsOf('own'), building(buildOf({ a: '' })));
    const report = await merge(here, ['there']);
    expect(report.entries).toEqual([
      {
        unit: 'knowledge/db',
        recipe: UNIT.recipe,
        generation: generation.manifest.generation,
        digest: generation.manifest.digest,
        state: 'installed',
        source: at('there'),
        files: 2,
        bytes: 2,
        producer: generation.manifest.producer,
      },
    ]);
    expect(report.changes).toMatchObject([{ from: null, to: generation.manifest.generation }]);
    expect(isComplete(report)).toBe(true);
    const use = await here.use(pinOf(generation));
    expect(use).toMatchObject({ kind: 'usable', generation: { manifest: generation.manifest } });
    expect(
      isExecutable(
        join(
          here.dir,
          'units/knowledge/db',
          UNIT.recipe.slice(0, 16),
          generation.manifest.generation,
          'files/deep/er/run.sh',
        ),
      ),
    ).toBe(true);
    expect((await here.buildOnce(partsOf(), building(neverBuild))).origin).toBe('here');
    expect(await here.units()).toHaveLength(2);
  });

  test('[ART-12] what a damaged rebuild superseded is not called current by a merge, nor is that a change', async () => {
    await put('there', { number: 1 });
    await put('rebuilt', { number: 2, supersedes: [1] });
    const cache = openCache(at('here'));
    await merge(cache, ['rebuilt']);
    rmSync(join((await cache.current(UNIT))?.filesDir ?? '', 'a.md'));
    expect((await cache.use(UNIT)).kind).toBe('damaged');
    const report = await merge(cache, ['there']);
    expect([states(report), report.changes]).toEqual([[[idOf(1), 'superseded']], []]);
    const healed = await merge(cache, ['rebuilt']);
    expect(states(healed)).toEqual([[idOf(2), 'installed']]);
    expect(healed.changes).toMatchObject([{ from: null, to: idOf(2) }]);
  });

  test('[ART-9] what a source remembers as damaged is remembered here, in a merge and in an export, and said while it matters', async () => {
    await put('there', { number: 1 });
    await put('there', { number: 2, supersedes: [1] }, 'changed file');
    const there = openCache(at('there'));
    expect((await there.use(UNIT)).kind).toBe('damaged');
    const here = openCache(at('here'));
    const report = await merge(here, ['there']);
    expect(report.entries).toMatchObject([
      { generation: idOf(1), state: 'superseded' },
      {
        generation: idOf(2),
        state: 'corrupt',
        unit: 'knowledge/db',
        reason: expect.stringContaining('a.md'),
      },
    ]);
    expect([report.changes, (await here.standing(UNIT)).kind]).toEqual([[], 'damaged']);
    const { report: exported } = await there.exportTo(at('stick'), await there.generations(UNIT));
    expect(states(exported)).toEqual([
      [idOf(1), 'superseded'],
      [idOf(2), 'corrupt'],
    ]);
    expect(await openCache(at('stick')).current(UNIT)).toBeUndefined();
    // Nor by way of a third one, and what is remembered is remembered once.
    await merge(openCache(at('third')), ['stick', 'here']);
    expect((await openCache(at('third')).standing(UNIT)).kind).toBe('damaged');
    expect(readdirSync(at('third/damaged'))).toHaveLength(1);
    // A rebuild supersedes it, and so does a whole copy.
    await put('rebuilt', { number: 3, supersedes: [1, 2] });
    await merge(here, ['rebuilt']);
    expect((await here.current(UNIT))?.manifest.generation).toBe(idOf(3));
    expect(states(await merge(here, ['there']))).toEqual([[idOf(1), 'already-here']]);
    await put('whole', { number: 2, supersedes: [1] });
    await merge(openCache(at('stick')), ['whole']);
    expect((await openCache(at('stick')).current(UNIT))?.manifest.generation).toBe(idOf(2));
  });

  test('[ART-9] an export carries what cannot be read as well: what it may have superseded is not current there', async () => {
    await put('there', { number: 1 });
    await put('there', { number: 2, supersedes: [1] }, 'torn manifest');
    const there = openCache(at('there'));
    const { report } = await there.exportTo(at('stick'), await there.generations(UNIT));
    expect(states(report)).toEqual([
      [idOf(1), 'superseded'],
      [idOf(2), 'corrupt'],
    ]);
    expect(await openCache(at('stick')).current(UNIT)).toBeUndefined();
  });

  test('[ART-9] a merge that dies leaves nothing as current that a damaged one of its source supersedes', async () => {
    const stop = new AbortController();
    await put('there', { number: 1 });
    await put('there', { number: 2, supersedes: [1] }, 'changed file');
    const there = from('there');
    const dying: ArtifactSource = {
      ...there,
      copyFile: (ref, file, options) => {
        if (ref.generation === idOf(1)) stop.abort();
        return there.copyFile(ref, file, options);
      },
    };
    const cache = openCache(at('here'));
    await expect(cache.merge([dying], { signal: stop.signal })).rejects.toThrow();
    expect((await cache.damages()).map(({ generation }) => generation)).toEqual([idOf(2)]);
  });

  test('[ART-9] what a later one supersedes does not come without it, when that one fails', async () => {
    await put('there', { number: 1 });
    await put('there', { number: 2, supersedes: [1] });
    const there = from('there');
    const failing: ArtifactSource = {
      ...there,
      copyFile: async (ref, file, options) => {
        if (ref.generation === idOf(2)) throw new Error('the network is down');
        return there.copyFile(ref, file, options);
      },
    };
    const cache = openCache(at('here'));
    const { report } = await cache.merge([failing]);
    expect(states(report)).toEqual([
      [idOf(1), 'failed'],
      [idOf(2), 'failed'],
    ]);
    expect(await cache.standing(UNIT)).toEqual({ kind: 'absent' });
    // It may be whole: nothing is remembered of it.
    expect(await cache.damages()).toEqual([]);
    await merge(cache, ['there']);
    expect((await cache.current(UNIT))?.manifest.generation).toBe(idOf(2));
  });

  test('generations of one recipe do not wait for each other', async () => {
    for (const number of [1, 2, 3, 4]) await put('there', { number });
    const waits: unknown[] = [];
    await openCache(at('here')).merge([from('there')], { onWait: (waiting) => waits.push(waiting) });
    expect(waits).toEqual([]);
  });

  test('[ART-3] the files of a generation that was built or came are read-only, the folders are not, and one that is writable is whole as well', async () => {
    const build = async (folder: string) => {
      await buildOf({ 'a/run.sh': '#!', 'b.md': 'b' })(folder, undefined);
      chmodSync(join(folder, 'a/run.sh'), 0o755);
      chmodSync(join(folder, 'b.md'), 0o600);
      return { cost: COST };
    };
    const there = openCache(at('there'));
    const { generation } = await there.buildOnce(partsOf(), building(build));
    const modes = (place: string) =>
      ['manifest.json', 'files/a/run.sh', 'files/b.md', 'files/a'].map(
        (path) => statSync(join(place, path)).mode & 0o333,
      );
    expect(modes(generation.dir)).toEqual([0, 0o111, 0, 0o311]);
    // Who may not read it does not get to by its being kept.
    expect(statSync(join(generation.filesDir, 'b.md')).mode & 0o777).toBe(0o400);
    const here = openCache(at('here'));
    await merge(here, ['there']);
    const [came = ''] = (await here.generations(UNIT)).map((one) => one.dir);
    expect(modes(came)).toEqual([0, 0o111, 0, 0o311]);
    // As earlier versions left them.
    for (const path of ['manifest.json', 'files/b.md']) chmodSync(join(came, path), 0o644);
    expect((await here.use(UNIT)).kind).toBe('usable');
    expect((await there.collect(await there.planCollection({ olderThanMs: 0 }))).removed).toEqual([]);
    await there.buildOnce(partsOf(), building(build, { isRebuild: true }));
    const plan = await there.planCollection({ olderThanMs: -1 });
    expect((await there.collect(plan)).removed).toHaveLength(1);
    expect(existsSync(generation.dir)).toBe(false);
  });

  test('[ART-3] a file that a build linked from elsewhere keeps its rights there', async () => {
    writeFileSync(at('own.txt'), 'own', { mode: 0o644 });
    const build = async (folder: string) => {
      linkSync(at('own.txt'), join(folder, 'linked.txt'));
      return { cost: COST };
    };
    await openCache(at('here')).buildOnce(partsOf(), building(build));
    expect(statSync(at('own.txt')).mode & 0o222).toBe(0o200);
  });

  test('[ART-11] a second merge of the same finds everything here, and touches nothing', async () => {
    await put('there', { number: 1 });
    await put('there', { number: 2, supersedes: [1] });
    const cache = openCache(at('here'));
    await merge(cache, ['there']);
    const times = () => nodeTimes(at('here/units'));
    const before = times();
    const again = await merge(cache, ['there']);
    expect(states(again)).toEqual([
      [idOf(1), 'already-here'],
      [idOf(2), 'already-here'],
    ]);
    expect(again.changes).toEqual([]);
    expect(times()).toEqual(before);
  });

  test('[ART-12] what is current is said: installed, kept current, superseded, and what changed', async () => {
    await put('here', { number: 5 });
    await put('there', { number: 7 });
    await put('there', { number: 3 });
    await put('there', { number: 9, supersedes: [3, 5] });
    await put('there', { number: 4, supersedes: [], parts: partsOf('other') });
    const report = await merge(openCache(at('here')), ['there']);
    expect(states(report)).toEqual([
      [idOf(3), 'superseded'],
      [idOf(7), 'installed'],
      [idOf(9), 'kept-current'],
      [idOf(4), 'installed'],
    ]);
    expect(report.changes).toMatchObject([
      { unit: 'knowledge/db', from: idOf(5), to: idOf(7) },
      { unit: 'knowledge/other', from: null, to: idOf(4) },
    ]);
  });

  test('[ART-12] an earlier independent build becomes current, and that is said', async () => {
    await put('here', { number: 5 });
    await put('there', { number: 2 });
    const report = await merge(openCache(at('here')), ['there']);
    expect(report.changes).toMatchObject([{ from: idOf(5), to: idOf(2) }]);
  });

  test.each(HARMS)(
    '[ART-11] %s: it is not taken, said as %s, and the others are',
    async (harm, state, reason) => {
      await put('here', { number: 1 });
      await put('there', { number: 2, supersedes: [1] }, harm);
      await put('there', { number: 3, parts: partsOf('other') });
      const cache = openCache(at('here'));
      const report = await merge(cache, ['there']);
      expect(report.entries.find(({ generation }) => generation === idOf(2))).toMatchObject({
        state,
        reason,
      });
      expect(report.entries.find(({ generation }) => generation === idOf(3))).toMatchObject({
        state: 'installed',
      });
      expect(isComplete(report)).toBe(false);
      expect(await cache.use(UNIT)).toMatchObject({
        kind: 'damaged',
        damage: { generation: idOf(2), reason, place: expect.stringContaining(at('there')) },
      });
      expect(readdirSync(recipeDir(at('here'), UNIT))).toEqual([idOf(1)]);
    },
  );

  test('[ART-11] of several sources a whole copy is taken, whichever has it, and the bad one is named', async () => {
    await put('bad', { number: 1 }, 'changed file');
    await put('good', { number: 1 });
    for (const [name, order] of [
      ['h1', ['bad', 'good']],
      ['h2', ['good', 'bad']],
    ] as const) {
      const report = await merge(openCache(at(name)), order);
      expect(states(report)).toEqual([[idOf(1), 'installed']]);
      expect((await openCache(at(name)).use(UNIT)).kind).toBe('usable');
    }
    const report = await merge(openCache(at('h3')), ['bad', 'good']);
    expect(report.entries[0]).toMatchObject({
      source: at('good'),
      reason: expect.stringContaining(at('bad')),
    });
  });

  test('[ART-12] one id with two contents is a conflict: the one that is here stays', async () => {
    await put('here', { number: 1 });
    await put('there', { number: 1, files: { other: 'x' } });
    const cache = openCache(at('here'));
    const report = await merge(cache, ['there']);
    expect(report.entries).toMatchObject([
      { state: 'conflicting', reason: expect.stringContaining('it stays') },
    ]);
    expect((await cache.current(UNIT))?.manifest.files).toHaveLength(2);
    // Among sources neither the first nor the last decides.
    await merge(openCache(at('h1')), ['here', 'there']);
    await merge(openCache(at('h2')), ['there', 'here']);
    const digest = async (name: string) => (await openCache(at(name)).current(UNIT))?.manifest.digest;
    expect(await digest('h1')).toBe(await digest('h2'));
  });

  test('[ART-12] what was expected and nobody has is said; what is here already, or came, is not missed', async () => {
    await put('here', { number: 1 });
    await put('there', { number: 2, parts: partsOf('came') });
    await put('there', { number: 3, parts: partsOf('lost') }, 'no manifest');
    const expected: readonly Expected[] = [
      UNIT,
      recipeOf(partsOf('came')),
      recipeOf(partsOf('never')),
      { ...UNIT, generation: idOf(8) },
    ];
    const report = await merge(openCache(at('here')), ['there'], expected);
    expect(report.entries.map(({ unit, generation, state }) => [unit, generation, state])).toEqual([
      ['knowledge/came', idOf(2), 'installed'],
      ['knowledge/db', idOf(1), 'already-here'],
      ['knowledge/db', idOf(8), 'never-seen'],
      ['knowledge/lost', idOf(3), 'incomplete'],
      ['knowledge/never', null, 'never-seen'],
    ]);
  });

  test('[ART-9] a whole copy heals what was set aside, and what is damaged in its place', async () => {
    await put('there', { number: 1 });
    await put('there', { number: 2, parts: partsOf('torn') });
    await put('there', { number: 3, parts: partsOf('scrap') });
    await put('here', { number: 1 }, 'changed file');
    await put('here', { number: 2, parts: partsOf('torn') }, 'torn manifest');
    await put('here', { number: 3, parts: partsOf('scrap') }, 'no manifest');
    const cache = openCache(at('here'));
    expect((await cache.use(UNIT)).kind).toBe('damaged');
    const report = await merge(cache, ['there']);
    expect(states(report).map(([, state]) => state)).toEqual(['installed', 'installed', 'installed']);
    for (const key of ['db', 'torn', 'scrap'])
      expect((await cache.use(recipeOf(partsOf(key)))).kind).toBe('usable');
    expect(await cache.damages()).toHaveLength(2);
  });

  test('[ART-6] temporary names, damaged ones and files beside generations of a source are nothing', async () => {
    await put('there', { number: 1 });
    const folder = recipeDir(at('there'), UNIT);
    mkdirSync(join(folder, `.holdfast-${'x'.repeat(22)}.tmp`));
    writeFileSync(join(folder, idOf(4)), '');
    mkdirSync(at('there/damaged/units/a/b/c'), { recursive: true });
    expect(states(await merge(openCache(at('here')), ['there']))).toEqual([[idOf(1), 'installed']]);
  });

  test('[ART-11] a manifest that lies elsewhere than it belongs is corrupt', async () => {
    await put('there', { number: 1 });
    const place = join(recipeDir(at('there'), UNIT), idOf(1));
    const other = join(recipeDir(at('there'), recipeOf(partsOf('other'))), idOf(1));
    mkdirSync(dirname(other), { recursive: true });
    await nodeDisk.rename(place, other);
    expect(states(await merge(openCache(at('here')), ['there']))).toEqual([[idOf(1), 'corrupt']]);
  });
});

describe('reports', () => {
  test('[ART-12] each merge leaves one, in the cache and where the caller wants it, equal to what is returned', async () => {
    await put('there', { number: 1 });
    const cache = openCache(at('here'));
    const { report } = await cache.merge([from('there')], { reportDirs: [at('run')] });
    await cache.merge([from('there')]);
    expect(readdirSync(at('here/reports'))).toHaveLength(2);
    for (const path of [at(`here/reports/${report.id}.json`), at(`run/artifacts-${report.id}.json`)])
      expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual(JSON.parse(JSON.stringify(report)));
  });

  test('[ART-12] a report that cannot be written is told, and undoes nothing', async () => {
    await put('there', { number: 1 });
    writeFileSync(at('file'), '');
    const cache = openCache(at('here'));
    const { report, unwritten } = await cache.merge([from('there')], { reportDirs: [at('file/below')] });
    expect(states(report)).toEqual([[idOf(1), 'installed']]);
    expect(unwritten).toEqual([expect.stringContaining(at('file/below'))]);
    expect((await cache.use(UNIT)).kind).toBe('usable');
  });

  test('[ART-12] a source that is not there, and one that cannot be read, are told apart', async () => {
    await put('there', { number: 1 });
    using faulty = new FaultyDisk(nodeDisk, [{ on: 'list', errno: 'EIO', at: /there/ }]);
    const { report } = await openCache(at('here')).merge([
      from('nowhere'),
      folderSource(faulty, at('there')),
    ]);
    expect(report.sources).toMatchObject([
      { state: 'absent' },
      { state: 'failed', reason: expect.stringContaining('EIO') },
    ]);
    expect(isComplete(report)).toBe(false);
  });

  test('[ART-11] a disk that fails for one generation does not stop the others', async () => {
    await put('there', { number: 1 });
    await put('there', { number: 2, parts: partsOf('other') });
    using faulty = new FaultyDisk(nodeDisk, [{ on: 'rename', errno: 'ENOSPC', at: /knowledge\/db\// }]);
    const cache = openCache(at('here'), faulty);
    const { report } = await cache.merge([from('there')]);
    expect(states(report)).toEqual([
      [idOf(1), 'failed'],
      [idOf(2), 'installed'],
    ]);
    expect(report.entries[0]?.reason).toContain('the disk or the quota is full');
    expect(readdirSync(recipeDir(at('here'), UNIT))).toEqual([]);
  });

  test('[ART-11] a folder here that cannot be read fails its own generations, and what was expected of it', async () => {
    await put('here', { number: 1 });
    await put('there', { number: 2 });
    await put('there', { number: 3, parts: partsOf('other') });
    const folder = new RegExp(UNIT.recipe.slice(0, 16));
    using faulty = new FaultyDisk(nodeDisk, [
      { on: 'list', errno: 'EIO', at: folder },
      { on: 'list', errno: 'EIO', at: folder },
    ]);
    const { report } = await openCache(at('here'), faulty).merge([from('there')], {
      expected: [{ ...UNIT, generation: idOf(9) }],
    });
    expect(states(report)).toEqual([
      [idOf(2), 'failed'],
      [idOf(9), 'failed'],
      [idOf(3), 'installed'],
    ]);
  });

  test('[ART-5] what a later version left in the place of a generation stays, and that is said', async () => {
    await put('there', { number: 1 });
    const place = join(recipeDir(at('here'), UNIT), idOf(1));
    mkdirSync(place, { recursive: true });
    overwrite(join(place, 'manifest.json'), '{"format":2}');
    const { entries } = await merge(openCache(at('here')), ['there']);
    expect(entries).toMatchObject([{ state: 'failed', reason: expect.stringContaining('format 2') }]);
    expect(readFileSync(join(place, 'manifest.json'), 'utf8')).toBe('{"format":2}');
  });

  test('progress counts the files of what is new, and abort stops a merge between two files', async () => {
    await put('here', { number: 1 });
    await put('there', { number: 1 });
    await put('there', { number: 2 });
    const seen: string[] = [];
    const cache = openCache(at('here'));
    await cache.merge([from('there')], {
      onProgress: ({ filesDone, filesTotal, bytes }) => seen.push(`${filesDone}/${filesTotal} ${bytes}`),
    });
    expect(seen).toEqual(['1/2 6', '2/2 12']);
    await put('there', { number: 3 });
    const stop = new AbortController();
    const stopping = cache.merge([from('there')], {
      signal: stop.signal,
      onProgress: () => stop.abort(new Error('enough')),
    });
    await expect(stopping).rejects.toThrow('enough');
    expect(existsSync(join(recipeDir(at('here'), UNIT), idOf(3)))).toBe(false);
  });

  test.each([
    ['finishes what is under way', false, 'installed'],
    ['gives that up, too, when it is told so', true, 'failed'],
  ])(
    '[ART-12] a merge that is stopped %s, reports what was not reached, and goes on the next time',
    async (_, isGivenUp, state) => {
      const keys = ['k1', 'k2', 'k3', 'k4', 'k5', 'k6', 'k7'];
      for (const [n, key] of keys.entries()) await put('there', { number: n + 1, parts: partsOf(key) });
      const cache = openCache(at('here'));
      const [stop, abort] = [new AbortController(), new AbortController()];
      const { report, isInterrupted, unwritten } = await cache.merge([from('there')], {
        stop: stop.signal,
        signal: abort.signal,
        expected: [{ kind: 'knowledge', key: 'other' }],
        onProgress: () => {
          stop.abort(new Error('Stopped by SIGINT'));
          if (isGivenUp) abort.abort(new Error('Stopped by SIGINT'));
        },
      });
      expect([isInterrupted, unwritten, isComplete(report)]).toEqual([true, [], false]);
      const [first, last] = [report.entries[0], report.entries[6]];
      expect([first?.state, last]).toMatchObject([
        state,
        { unit: 'knowledge/k7', state: 'failed', reason: 'not reached: the merge was stopped before' },
      ]);
      const installed = report.entries.filter((one) => one.state === 'installed');
      expect(await cache.units()).toHaveLength(installed.length);
      const again = await merge(cache, ['there']);
      expect(again.entries.filter((one) => one.state === 'already-here')).toHaveLength(installed.length);
      expect([await cache.units(), isComplete(again)]).toMatchObject([{ length: 7 }, true]);
    },
  );

  test('[ART-12] a unit can be expected by any recipe: what is here or incomplete is not missed', async () => {
    const cache = openCache(at('here'));
    await put('here', { number: 1 });
    await put('there', { number: 2, parts: partsOf('torn') }, 'no manifest');
    const expected = ['db', 'torn', 'none'].map((key) => ({ kind: 'knowledge', key }));
    const { entries } = await merge(cache, ['there'], expected);
    expect(entries.map(({ unit, recipe, state }) => [unit, recipe?.length ?? null, state])).toEqual([
      ['knowledge/db', 64, 'already-here'],
      ['knowledge/none', null, 'never-seen'],
      [expect.stringMatching(/knowledge\/torn/), 16, 'incomplete'],
    ]);
  });
});

test('[ART-11] a merge that dies at any step leaves each generation whole or absent, and again heals', async () => {
  const made = [
    makeGenerationData({ number: 1 }),
    makeGenerationData({ number: 2, supersedes: [1], files: { z: 'z' } }),
  ];
  const run = (disk: Disk) => openCache('/here', disk).merge([folderSource(disk, '/there')]);
  const tried = await sweepCrashes({
    prepare: async (disk) => {
      for (const one of made) await putGeneration(disk, '/there', one);
      await putGeneration(disk, '/here', makeGenerationData({ number: 0 }));
    },
    act: run,
    check: async (disk, result) => {
      const cache = openCache('/here', disk);
      const whole = await cache.generations(UNIT);
      for (const stored of whole) expect(await cache.problems(stored)).toEqual([]);
      // A disk that is gone fails one generation after the other; what the report calls installed is.
      for (const { generation, state } of result?.value.report.entries ?? []) {
        if (state === 'failed') continue;
        expect(whole.map(({ manifest }) => manifest.generation)).toContain(generation);
      }
      expect(whole[0]?.manifest.generation).toBe(idOf(0));
      expect((await cache.use(UNIT)).kind).toBe('usable');
      const { report } = await run(disk);
      expect(isComplete(report)).toBe(true);
      expect(await cache.generations(UNIT)).toHaveLength(3);
    },
    seeds: 3,
  });
  expect(tried).toBeGreaterThan(100);
});

/** What was changed when, below a folder. */
function nodeTimes(folder: string): string[] {
  return readdirSync(folder, { recursive: true })
    .map((name) => `${name} ${statSync(join(folder, String(name))).mtimeMs}`)
    .sort();
}

test('[ART-10] a merge waits for whoever works on the recipe, says so, and takes nothing twice', async () => {
  await put('there', { number: 1 });
  mkdirSync(at('here/locks'), { recursive: true });
  const lock = tryLock(lockPath(at('here'), UNIT.recipe));
  const waits: string[] = [];
  const merging = openCache(at('here')).merge([from('there')], {
    onWait: ({ unit }) => {
      waits.push(unit);
      expect(existsSync(join(recipeDir(at('here'), UNIT), idOf(1)))).toBe(false);
      lock?.release();
    },
  });
  expect(states((await merging).report)).toEqual([[idOf(1), 'installed']]);
  expect(waits).toEqual(['knowledge/db']);
});
