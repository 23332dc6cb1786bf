/** Merging against a model: a cache is a set of generations, and a merge is the union of what is whole, and of what is known to be damaged. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openCache, partsOf } from '../../test/sim/artifact-fixture.ts';
import {
  type Harm,
  idOf,
  type Made,
  makeGenerationData,
  putGeneration,
} from '../../test/sim/generation-maker.ts';
import { SimulatedDisk } from '../../test/sim/simulated-disk.ts';
import { type Lineage, openOf } from './generation.ts';
import { folderSource, recipeOf } from './index.ts';

const KEYS = ['one', 'two'];
const HARMS: readonly Harm[] = ['no manifest', 'torn manifest', 'missing file', 'changed file'];

/** The world: which generations exist at all. A number is the id of one generation, everywhere. */
const world = fc
  .array(fc.record({ key: fc.constantFrom(...KEYS), supersedes: fc.array(fc.nat(5), { maxLength: 2 }) }), {
    minLength: 1,
    maxLength: 6,
  })
  .map((all) =>
    all.map(({ key, supersedes }, number) =>
      makeGenerationData({
        number,
        supersedes: supersedes.filter((one) => one < number),
        parts: partsOf(key),
        files: { f: `${number}` },
      }),
    ),
  );

interface Holding {
  readonly made: Made;
  readonly harm: Harm;
}

/** What one folder has of it, some of it damaged. */
const holdings = (all: readonly Made[]) =>
  fc.subarray([...all]).chain((chosen) =>
    fc.tuple(
      ...chosen.map((made) =>
        fc.record({
          made: fc.constant(made),
          harm: fc.oneof({ weight: 3, arbitrary: fc.constant<Harm>('whole') }, fc.constantFrom(...HARMS)),
        }),
      ),
    ),
  );

const scene = world.chain((all) =>
  fc.record({
    all: fc.constant(all),
    here: fc.subarray([...all]),
    sources: fc.array(holdings(all), { minLength: 1, maxLength: 3 }),
    order: fc.array(fc.nat(), { minLength: 3, maxLength: 3 }),
  }),
);

type Scene = typeof scene extends fc.Arbitrary<infer T> ? T : never;

/** A disk with a cache and sources on it. */
async function build({ here, sources }: Pick<Scene, 'here' | 'sources'>): Promise<SimulatedDisk> {
  const disk = new SimulatedDisk();
  for (const made of here) await putGeneration(disk, '/here', made);
  for (const [at, source] of sources.entries()) {
    await disk.makeDir(`/s${at}/units`);
    for (const { made, harm } of source) await putGeneration(disk, `/s${at}`, made, harm);
  }
  return disk;
}

/** All that is usable in the cache, and what is current, as one comparable value. */
async function stateOf(disk: SimulatedDisk, dir = '/here') {
  const cache = openCache(dir, disk);
  const generations: string[] = [];
  const current: Record<string, string> = {};
  for (const unit of await cache.units()) {
    current[unit.key] = unit.current?.manifest.generation ?? '';
    for (const stored of unit.generations) {
      expect(await cache.problems(stored)).toEqual([]);
      generations.push(stored.manifest.generation);
    }
  }
  return { generations: generations.sort(), current };
}

/** The same by the model: what is damaged and whole nowhere supersedes as well, and is current nowhere. */
function modelOf(sets: readonly (readonly Made[])[], sources: readonly (readonly Holding[])[] = []) {
  const union = [...new Set(sets.flat())];
  const lost = [...Map.groupBy(sources.flat(), ({ made }) => made)].filter(([made]) => !union.includes(made));
  const current: Record<string, string> = {};
  for (const key of KEYS) {
    const own = union.map(({ manifest }) => manifest).filter((manifest) => manifest.key === key);
    const gone = lost.filter(([{ manifest }]) => manifest.key === key);
    const ids = [...own, ...gone.map(([{ manifest }]) => manifest)].map(({ generation }) => generation);
    const lineages = gone.map(([{ manifest }, copies]) => {
      const isRead = copies.some(({ harm }) => harm.endsWith('file'));
      const { generation, supersedes } = manifest;
      return { generation, supersedes: isRead ? supersedes : ids.filter((id) => id < generation) };
    });
    const open = openOf<Lineage>([...own, ...lineages]).map(({ generation }) => generation);
    if (own.length > 0)
      current[key] =
        own
          .map(({ generation }) => generation as string)
          .filter((id) => open.includes(id))
          .sort()[0] ?? '';
  }
  return { generations: union.map(({ manifest }) => manifest.generation as string).sort(), current };
}

const wholeOf = (source: readonly Holding[]) =>
  source.filter(({ harm }) => harm === 'whole').map(({ made }) => made);

function permuted<T>(items: readonly T[], order: readonly number[]): T[] {
  const rest = [...items];
  return items.flatMap((_, at) => rest.splice((order[at] ?? 0) % rest.length, 1));
}

async function mergeAll(disk: SimulatedDisk, into: string, sources: readonly string[]) {
  return openCache(into, disk).merge(sources.map((name) => folderSource(disk, name)));
}

test('[ART-11] a merge is the union of what is whole, in any order, at once or one by one, once or twice', async () => {
  const property = fc.asyncProperty(scene, async ({ here, sources, order }) => {
    const model = modelOf([here, ...sources.map(wholeOf)], sources);
    const names = permuted(
      sources.map((_, at) => `/s${at}`),
      order,
    );
    const atOnce = await build({ here, sources });
    await mergeAll(atOnce, '/here', names);
    expect(await stateOf(atOnce)).toEqual(model);
    const oneByOne = await build({ here, sources });
    for (const name of [...names, ...names]) await mergeAll(oneByOne, '/here', [name]);
    expect(await stateOf(oneByOne)).toEqual(model);
  });
  await fc.assert(property, { numRuns: 120 });
});

test('[ART-11] merging is associative: (a ∪ b) ∪ c is a ∪ (b ∪ c)', async () => {
  const property = fc.asyncProperty(scene, async ({ here, sources }) => {
    const names = sources.map((_, at) => `/s${at}`);
    const left = await build({ here, sources });
    for (const name of names) await mergeAll(left, '/here', [name]);
    const right = await build({ here, sources });
    for (const name of names) await mergeAll(right, '/mid', [name]);
    await mergeAll(right, '/here', ['/mid']);
    expect(await stateOf(right)).toEqual(await stateOf(left));
  });
  await fc.assert(property, { numRuns: 60 });
});

test('[ART-12] the report tells of every generation seen exactly once, and what it says is so', async () => {
  const property = fc.asyncProperty(scene, async ({ all, here, sources }) => {
    const disk = await build({ here, sources });
    const before = modelOf([here]);
    const expected = KEYS.map((key) => recipeOf(partsOf(key)));
    const { report } = await openCache('/here', disk).merge(
      sources.map((_, at) => folderSource(disk, `/s${at}`)),
      { expected },
    );
    const after = await stateOf(disk);
    const seen = new Set(sources.flat().map(({ made }) => made.manifest.generation as string));
    const told = report.entries
      .map(({ generation }) => generation)
      .filter((id) => id !== null && seen.has(id));
    expect(told.toSorted()).toEqual([...seen].sort());
    for (const { generation, state } of report.entries) {
      const [wasHere, isHere] = [before, after].map(({ generations }) =>
        generations.includes(generation ?? ''),
      );
      const isNew = ['installed', 'kept-current', 'superseded'].includes(state);
      expect([generation, state, wasHere, isHere]).toEqual([
        generation,
        state,
        state === 'already-here',
        isNew || state === 'already-here',
      ]);
      const { manifest } = all.find((made) => made.manifest.generation === generation) ?? {};
      if (isNew && manifest) expect(after.current[manifest.key] === generation).toBe(state === 'installed');
    }
    for (const key of KEYS) {
      const change = report.changes.find(({ unit }) => unit === `knowledge/${key}`);
      // That nothing is current any more is told by what is damaged.
      if (after.current[key] === '') {
        expect(change).toBeUndefined();
        expect(report.entries.some(({ state }) => state === 'corrupt' || state === 'incomplete')).toBe(true);
        continue;
      }
      expect(change?.to ?? after.current[key]).toBe(after.current[key]);
      expect(change?.from ?? null).toBe(change ? (before.current[key] ?? null) : null);
      expect(change === undefined).toBe(before.current[key] === after.current[key]);
      const isSeen = [...here, ...sources.flat().map(({ made }) => made)].some(
        ({ manifest }) => manifest.key === key,
      );
      if (!isSeen)
        expect(report.entries).toContainEqual(
          expect.objectContaining({ unit: `knowledge/${key}`, state: 'never-seen' }),
        );
    }
  });
  await fc.assert(property, { numRuns: 150 });
});

test('the numbers of the model sort as ids', () => {
  expect(idOf(2) < idOf(10)).toBe(true);
});
