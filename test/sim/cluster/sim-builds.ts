import { recipeOf } from '../../../src/artifacts/index.ts';
import {
  decodeManifest,
  encodeManifest,
  isManifest,
  type Manifest,
} from '../../../src/artifacts/manifest.ts';
import type { Bucket } from '../../../src/bucket/index.ts';
import { buildJob, type JobId } from '../../../src/cluster/index.ts';
import { partsOf } from '../artifact-fixture.ts';
import { type Made, makeGenerationData } from '../generation-maker.ts';

/** A generation that a worker built, and has in its own cache. */
export interface SimBuilt {
  readonly by: string;
  readonly job: JobId;
  readonly made: Made;
}

/** What the build number `kind` of every simulated run is of. */
export function simUnit(kind: number) {
  const parts = partsOf(`unit${kind}`);
  const { recipe } = recipeOf(parts);
  return { parts, recipe, job: buildJob(recipe) };
}

const UNITS = [simUnit(0), simUnit(1)];

/** `number` is the time by the clock of whoever builds, and who that is: ids sort so. */
export function makeGeneration(job: JobId, number: number, supersedes: readonly number[] = []): Made {
  const unit = UNITS.find((one) => one.job === job);
  if (!unit) throw new Error(`${job} builds nothing`);
  return makeGenerationData({ number, supersedes, parts: unit.parts, files: { f: String(number) } });
}

/** The store of artifacts: a generation is in it once it is there under its name. */
export async function storeGeneration(bucket: Bucket, job: JobId, { manifest }: Made): Promise<void> {
  await bucket.create(`${STORE}${job}/${manifest.generation}`, encodeManifest(manifest));
}

export async function storedGenerations(bucket: Bucket, job: JobId): Promise<readonly Manifest[]> {
  const manifests: Manifest[] = [];
  for await (const { key } of bucket.list(`${STORE}${job}/`)) {
    const manifest = decodeManifest((await bucket.read(key)) ?? new Uint8Array());
    if (!isManifest(manifest)) throw new Error(`${key}: ${manifest.reason}`);
    manifests.push(manifest);
  }
  return manifests;
}

const STORE = 'store/';

export function simPin({ kind, key, recipe, generation, digest }: Manifest) {
  return { kind, key, recipe, generation, digest };
}
