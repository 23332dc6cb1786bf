/** What the bucket of a shared run holds, read past the command line: whose the leases were, and what came of it. */
import { openBucket } from '../../src/bucket/index.ts';
import { type Lease, SHARED_PREFIX, type SharedPlace, SharedRun } from '../../src/cluster/index.ts';
import { nodeDisk } from '../../src/disk/index.ts';
import { until } from './shared-project.ts';

export async function placeAt(url: string): Promise<SharedPlace> {
  return { bucket: await openBucket(url, { disk: nodeDisk }), prefix: SHARED_PREFIX };
}

async function runAt(place: SharedPlace, run: string): Promise<SharedRun> {
  const shared = await SharedRun.open(place, run);
  if (!shared) throw new Error(`there is no run ${run}`);
  return shared;
}

/** The jobs of builds, by unit. */
export async function buildsAt(place: SharedPlace, run: string): Promise<ReadonlyMap<string, string>> {
  const { submission } = await runAt(place, run);
  return new Map(submission.builds.map(({ unit, job }) => [unit, job]));
}

/** All leases of all jobs of a run. */
export async function leasesAt(place: SharedPlace, run: string): Promise<readonly Lease[]> {
  const shared = await runAt(place, run);
  await shared.refresh();
  return [...shared.jobs()].flatMap((job) => shared.leasesOf(job));
}

/** The first lease that is so, as soon as there is one. */
export async function untilLease(
  place: SharedPlace,
  run: string,
  isSo: (lease: Lease) => boolean,
): Promise<Lease> {
  const found: Lease[] = [];
  const look = async () => found.push(...(await leasesAt(place, run)).filter(isSo)) > 0;
  await until(look, 'a lease');
  const [first] = found;
  if (!first) throw new Error('it was found');
  return first;
}
