import { folderSource, standingOf } from '../../../src/artifacts/index.ts';
import { type Random, seededRandom, shuffled } from '../../../src/base/index.ts';
import { type JobId, parseJob } from '../../../src/cluster/index.ts';
import { openCache } from '../artifact-fixture.ts';
import { type Harm, type Made, putGeneration } from '../generation-maker.ts';
import { SimulatedDisk } from '../simulated-disk.ts';
import { makeGeneration, storedGenerations } from './sim-builds.ts';
import type { Simulated } from './simulate.ts';

/** What is pinned is in the store; and what was built, wherever it lies, is one cache in whatever order it is merged. */
export async function problemsOfMerges(simulated: Simulated): Promise<readonly string[]> {
  const problems = await problemsOfPins(simulated);
  const { built, seed } = simulated;
  if (built.length === 0) return problems;
  const random = seededRandom(seed + 7);
  const sources = sourcesOf(simulated, random);
  const whole = [...sources.values()].flat().filter(({ harm }) => harm === 'whole');
  const expected = stateOf(whole.map(({ made }) => made));
  const names = [...sources.keys()];
  const steps = [[names], names.toReversed().map((name) => [name]), [shuffled(names, random)]];
  for (const order of steps) {
    const state = await merged(sources, order);
    if (state !== expected) problems.push(`merged in the order ${order}, it is ${state}, not ${expected}`);
  }
  return problems;
}

async function problemsOfPins({ shared, bucket, built }: Simulated): Promise<string[]> {
  const problems: string[] = [];
  for (const job of shared.jobs()) {
    if (parseJob(job)?.kind !== 'build') continue;
    const end = shared.endOf(job);
    const stored = await storedGenerations(bucket, job);
    if (end?.status === 'completed' && !stored.some(({ digest }) => digest === end.pin?.digest))
      problems.push(`${job} ended with ${end.pin?.generation}, which is not in the store`);
    const count = built.filter((one) => one.job === job).length;
    if (count > shared.leasesOf(job).length) problems.push(`${job} was built more often than it was begun`);
  }
  return problems;
}

interface Held {
  readonly made: Made;
  readonly harm: Harm;
}

/** What each worker that built has in its cache, some of it cut short as a crash leaves it; all of it in the store; and what a person built anew. */
function sourcesOf({ built }: Simulated, random: Random): ReadonlyMap<string, readonly Held[]> {
  const sources = new Map<string, Held[]>();
  const add = (name: string, held: Held) => sources.set(name, [...(sources.get(name) ?? []), held]);
  for (const { by, made } of built) {
    add(`/${by}`, { made, harm: random.next() < 0.2 ? 'no manifest' : 'whole' });
    add('/store', { made, harm: 'whole' });
  }
  const ofJobs = Map.groupBy(built, ({ job }) => job);
  for (const [job, ofOne] of ofJobs)
    if (random.next() < 0.4) add('/rebuilt', { made: rebuiltOf(job, ofOne[0]?.made), harm: 'whole' });
  return sources;
}

function rebuiltOf(job: JobId, first: Made | undefined): Made {
  const number = Number(/x*(\d+)$/.exec(first?.manifest.generation ?? '')?.[1]);
  return makeGeneration(job, number + 1, [number]);
}

async function merged(
  sources: ReadonlyMap<string, readonly Held[]>,
  steps: readonly (readonly string[])[],
): Promise<string> {
  const disk = new SimulatedDisk();
  for (const [name, held] of sources)
    for (const { made, harm } of held) await putGeneration(disk, name, made, harm);
  const cache = openCache('/home', disk);
  for (const names of steps) await cache.merge(names.map((name) => folderSource(disk, name)));
  const units = await cache.units();
  return textOf(
    units.map(({ key, current, generations }) => ({
      key,
      current: current?.manifest.generation,
      generations: generations.map(({ manifest }) => manifest.generation),
    })),
  );
}

/** The union, by what is known of each generation alone. */
function stateOf(all: readonly Made[]): string {
  const byKey = Map.groupBy(
    new Map(all.map(({ manifest }) => [manifest.digest, manifest])).values(),
    ({ key }) => key,
  );
  return textOf(
    [...byKey].map(([key, manifests]) => {
      const whole = manifests.map((manifest) => ({ manifest }));
      const standing = standingOf(manifests[0]?.recipe ?? '', { whole, broken: [], setAside: [] });
      const current = standing.kind === 'whole' ? standing.generation.manifest.generation : undefined;
      return { key, current, generations: manifests.map(({ generation }) => generation) };
    }),
  );
}

function textOf(
  units: readonly {
    readonly key: string;
    readonly current?: string | undefined;
    readonly generations: readonly string[];
  }[],
): string {
  const lines = units.map(
    ({ key, current, generations }) => `${key}: ${current} of ${generations.toSorted()}`,
  );
  return lines.sort().join('; ');
}
