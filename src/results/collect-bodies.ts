import { type RunId, UsageError } from '../base/index.ts';
import type { Bucket } from '../bucket/index.ts';
import { BODIES_FOLDER, bodyKey } from './bodies.ts';
import { isSince } from './layout.ts';
import { readNotes } from './notes.ts';
import { listDocuments, type PublishedPorts, pointerOf } from './published-log.ts';
import type { ResultsStore } from './results-store.ts';
import type { ResultsTree, Revision } from './results-tree.ts';
import { foldNotes } from './run-marks.ts';
import { wholeTags } from './whole-tags.ts';

/** Of which runs the bodies may go. A run that any rule keeps is kept. */
export interface CollectPolicy {
  /** Only of runs that began before this, in milliseconds. */
  readonly beforeMs?: number;
  /** Never of runs with one of these tags. */
  readonly keepTags: readonly string[];
  /** Only of runs with one of these tags. */
  readonly onlyTags: readonly string[];
  /** The newest runs are kept as long as their bodies take up no more than this. */
  readonly keepBytes?: number;
}

export interface CollectPlan {
  /** Of each run whose bodies go: how many, and how much they weigh. */
  readonly runs: readonly { readonly run: RunId; readonly bodies: number; readonly sizeBytes: number }[];
  /** Bodies that no run points to: left by a publication that was cut off. */
  readonly orphans: number;
  /** What goes from the bucket. A body that a kept run has, too, stays. */
  readonly keys: readonly string[];
  readonly sizeBytes: number;
  /** Bodies that would go, and are younger than a week. */
  readonly held: number;
}

/**
 * A body that is this young may belong to a run that somebody else is publishing, or has published and not yet shared with us.
 */
const GRACE_MS = 7 * 86_400_000;

/** What would go of the bodies in the bucket of a store. */
export async function planCollectionOf(
  store: ResultsStore,
  policy: CollectPolicy,
  nowMs: number,
): Promise<CollectPlan> {
  const ports = await store.readPorts();
  if (!ports.bucket) throw noBucket();
  return planCollection(await store.tree(), policy, { ...ports, bucket: ports.bucket, nowMs });
}

/** Says of each run that its bodies go, then lets them go: whoever misses one later is told why. */
export async function collectBodies(store: ResultsStore, { runs, keys }: CollectPlan): Promise<void> {
  const { bucket } = await store.readPorts();
  if (!bucket) throw noBucket();
  const byRun = new Map(runs.map((one) => [one.run, one]));
  await store.say([...byRun.keys()], (run) => {
    const { bodies = 0, sizeBytes = 0 } = byRun.get(run) ?? {};
    return [{ kind: 'collection', bodies, sizeBytes }];
  });
  await bucket.removeAll(keys);
}

export interface CollectPorts extends PublishedPorts {
  readonly bucket: Bucket;
  readonly nowMs: number;
}

/** What `gc` would drop. Only bodies in the bucket; whatever is in git stays in its history. */
export async function planCollection(
  tree: ResultsTree,
  policy: CollectPolicy,
  ports: CollectPorts,
): Promise<CollectPlan> {
  const kept = new Set<string>();
  const going = new Map<RunId, Map<string, number>>();
  let keptBytes = 0;
  for await (const { revision, tags } of revisionsWithBodies(tree, ports)) {
    const bodies = await bodiesOf(revision, ports);
    const weight = [...bodies.values()].reduce((sum, size) => sum + size, 0);
    const isKept = isKeptBy(policy, { revision, tags, keptBytes: keptBytes + weight });
    if (isKept) keptBytes += weight;
    for (const [key, size] of bodies) {
      if (isKept) kept.add(key);
      else going.set(revision.run, (going.get(revision.run) ?? new Map()).set(key, size));
    }
  }
  return dropPlan({ kept, going }, ports);
}

function isKeptBy(
  { beforeMs, keepTags, onlyTags, keepBytes }: CollectPolicy,
  about: { readonly revision: Revision; readonly tags: readonly string[]; readonly keptBytes: number },
): boolean {
  const { revision, tags, keptBytes } = about;
  if (tags.some((tag) => keepTags.includes(tag))) return true;
  if (onlyTags.length > 0 && !tags.some((tag) => onlyTags.includes(tag))) return true;
  if (beforeMs !== undefined && isSince(revision.run, beforeMs)) return true;
  return keepBytes !== undefined && keptBytes <= keepBytes;
}

/** Newest first, so that a limit of size keeps the newest. */
async function* revisionsWithBodies(
  tree: ResultsTree,
  { objects }: CollectPorts,
): AsyncGenerator<{ readonly revision: Revision; readonly tags: readonly string[] }> {
  for (const day of await tree.days()) {
    for (const place of await tree.runsOf(day)) {
      const { revisions, damage } = await tree.revisions(place);
      // Nobody knows which bodies a revision points to that cannot be read: none may be dropped.
      for (const { error } of damage) throw error;
      if (!revisions.some(({ row }) => row.log.bodies?.kept === 'bucket')) continue;
      const { notes } = await readNotes(tree, objects, place.run);
      for (const revision of revisions)
        yield { revision, tags: foldNotes(notes, { tags: await wholeTags(revision, objects) }).tags };
    }
  }
}

async function bodiesOf(revision: Revision, ports: CollectPorts): Promise<ReadonlyMap<string, number>> {
  const found = new Map<string, number>();
  for (const document of await listDocuments(revision, ports)) {
    const pointer = await pointerOf(document, ports);
    if (pointer?.kept === 'bucket') found.set(bodyKey(pointer.sha256), pointer.sizeBytes);
  }
  return found;
}

/** Compared with what the bucket has: what is gone already is not counted, and what is young stays. */
async function dropPlan(
  {
    kept,
    going,
  }: { readonly kept: ReadonlySet<string>; readonly going: ReadonlyMap<RunId, ReadonlyMap<string, number>> },
  { bucket, nowMs }: CollectPorts,
): Promise<CollectPlan> {
  const pointedAt = new Set([...going.values()].flatMap((bodies) => [...bodies.keys()]));
  const keys: string[] = [];
  let [orphans, sizeBytes, held] = [0, 0, 0];
  for await (const listed of bucket.list(BODIES_FOLDER)) {
    if (kept.has(listed.key)) continue;
    const stat = await bucket.stat(listed.key);
    if (!stat) continue;
    if (nowMs - stat.modifiedMs < GRACE_MS) {
      held++;
      continue;
    }
    if (!pointedAt.has(listed.key)) orphans++;
    keys.push(listed.key);
    sizeBytes += listed.sizeBytes;
  }
  const dropped = new Set(keys);
  const runs = [...going].flatMap(([run, bodies]) => {
    const gone = [...bodies].filter(([key]) => dropped.has(key));
    const weight = gone.reduce((sum, [, size]) => sum + size, 0);
    return gone.length === 0 ? [] : [{ run, bodies: gone.length, sizeBytes: weight }];
  });
  return { runs, orphans, keys, sizeBytes, held };
}

function noBucket(): UsageError {
  return new UsageError({
    code: 'E_RESULTS_NO_BUCKET',
    message: 'No bucket is named that could hold bodies of results.',
    hint: 'Name it with --bucket, or as "bucket" in holdfast.config.',
  });
}
