import { ActionableError } from '../base/index.ts';
import { type BundlePlace, manifestKey, objectKey, objectsFolder } from './bundle.ts';
import { type CollectionTurn, deadSigns, type SignPorts, signCollection } from './bundle-signs.ts';
import { contentsOf } from './manifest.ts';
import { readBundleManifest } from './read-manifest.ts';

export interface CollectSentOptions extends SignPorts {
  /** What time it is in the bucket. */
  readonly nowMs: number;
  readonly isDryRun: boolean;
  /** The digests of bundles that runs name. Asked for when no submit can add one unseen; a sentence when nobody can tell. */
  readonly needed: () => Promise<ReadonlySet<string> | string>;
}

/** What a collection of bundles in a bucket did, or would do. */
export interface CollectedBundles {
  /** Why nothing was removed; undefined when what could go is gone. */
  readonly kept?: string;
  readonly removed: readonly { readonly digest: string; readonly bytes: number }[];
  /** Contents that no bundle has: what an upload left that died. */
  readonly strays: { readonly files: number; readonly bytes: number };
}

const NOTHING = { removed: [], strays: { files: 0, bytes: 0 } } as const;
const LOOK_ONLY: CollectionTurn = { mayRemove: () => false, end: () => Promise.resolve() };
const REMOVED_AT_A_TIME = 100;
/** What says that a manifest is not to be had, and no more of the bucket. */
const UNREADABLE: ReadonlySet<string> = new Set(['E_BUNDLE_MISSING', 'E_BUNDLE_DAMAGED', 'E_BUNDLE_NEWER']);

/**
 * Removes from a bucket the bundles that no run names any more, and contents that no bundle has [BUN-16].
 *
 * ### Ordering
 * The collection's own sign, a look for submits, what runs name, and then removals: manifests before contents, so that whoever finds a manifest
 * finds all that it names. A collection that died leaves contents that the next one removes.
 */
export async function collectSentBundles(
  place: BundlePlace,
  options: CollectSentOptions,
): Promise<CollectedBundles> {
  // Whoever removes nothing is in nobody's way.
  const turn = options.isDryRun ? LOOK_ONLY : await signCollection(place, options);
  if (!turn) return { kept: 'somebody is submitting a run', ...NOTHING };
  try {
    return await collect(place, turn, options);
  } finally {
    await turn.end();
  }
}

async function collect(
  place: BundlePlace,
  turn: CollectionTurn,
  { needed: ask, nowMs, isDryRun }: CollectSentOptions,
): Promise<CollectedBundles> {
  if (!isDryRun) await place.bucket.removeAll(await deadSigns(place, nowMs));
  const needed = await ask();
  if (typeof needed === 'string') return { kept: needed, ...NOTHING };
  const manifests = await sizesOf(place, `${place.prefix}bundles/`);
  const contents = await sizesOf(place, objectsFolder(place));
  const kept = new Set<string>();
  for (const digest of needed) {
    // Where nobody can tell what a bundle has, all contents stay.
    const keys = await contentKeys(place, digest);
    if (!keys) return { kept: `what the bundle ${digest.slice(0, 12)} has cannot be read`, ...NOTHING };
    for (const key of keys) kept.add(key);
  }
  const plan = await planOf(place, { manifests, contents, needed, kept });
  const { keys, ...collected } = plan;
  if (isDryRun) return collected;
  for (let at = 0; at < keys.length; at += REMOVED_AT_A_TIME) {
    if (!turn.mayRemove())
      return { kept: 'it took too long: the next collection removes the rest', ...collected };
    await place.bucket.removeAll(keys.slice(at, at + REMOVED_AT_A_TIME));
  }
  return collected;
}

interface Stock {
  readonly manifests: ReadonlyMap<string, number>;
  readonly contents: ReadonlyMap<string, number>;
  readonly needed: ReadonlySet<string>;
  /** Contents of what is needed. */
  readonly kept: ReadonlySet<string>;
}

/** What goes, manifests first; each content counts for the first bundle that has it. */
async function planOf(
  place: BundlePlace,
  { manifests, contents, needed, kept }: Stock,
): Promise<Omit<CollectedBundles, 'kept'> & { readonly keys: readonly string[] }> {
  const left = new Map([...contents].filter(([key]) => !kept.has(key)));
  const [keys, removed]: [string[], CollectedBundles['removed'][number][]] = [[], []];
  const loose = [...left.keys()];
  for (const [key, size] of manifests) {
    const digest = key.slice(manifestKey(place, '').length);
    if (needed.has(digest) || !/^[0-9a-f]{64}$/.test(digest)) continue;
    let bytes = size;
    for (const content of (await contentKeys(place, digest)) ?? []) {
      bytes += left.get(content) ?? 0;
      left.delete(content);
    }
    keys.push(key);
    removed.push({ digest, bytes });
  }
  const strays = { files: left.size, bytes: [...left.values()].reduce((sum, size) => sum + size, 0) };
  return { removed, strays, keys: [...keys, ...loose] };
}

/** Undefined when its manifest is gone, or cannot be read. */
async function contentKeys(place: BundlePlace, digest: string): Promise<readonly string[] | undefined> {
  try {
    const manifest = await readBundleManifest(place, digest);
    return contentsOf(manifest).map(({ sha256 }) => objectKey(place, sha256));
  } catch (error) {
    if (error instanceof ActionableError && UNREADABLE.has(error.code)) return undefined;
    throw error;
  }
}

/** Of what lies directly there, or of contents. */
async function sizesOf(place: BundlePlace, folder: string): Promise<ReadonlyMap<string, number>> {
  const sizes = new Map<string, number>();
  if (folder === objectsFolder(place))
    for await (const { key, sizeBytes } of place.bucket.list(folder)) sizes.set(key, sizeBytes);
  else
    for await (const entry of place.bucket.listFolder(folder))
      if (entry.kind === 'object') sizes.set(entry.key, entry.sizeBytes);
  return sizes;
}
