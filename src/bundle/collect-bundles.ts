import { join } from 'node:path';
import { type Disk, locksOf, sweepTemps } from '../disk/index.ts';
import { contentsNoted, lastUseMs, noteUse, removeHome } from './bundle-home.ts';
import { BUNDLE_LOCKS, BUNDLE_OBJECTS } from './install-bundle.ts';

export interface CollectBundlesOptions {
  readonly disk: Disk;
  /** Where they are installed. */
  readonly dir: string;
  /** Digests of those that somebody may need: they count as used now. */
  readonly wanted: ReadonlySet<string>;
  readonly nowMs: number;
  /** Those that nobody used for this long go. */
  readonly keepMs: number;
}

/**
 * Removes installed bundles that nobody used for a while, and contents that no bundle has any more. Gives the digests.
 *
 * ### Ordering
 * Under the lock of the bundle, as it is installed: whoever wants it at the same time installs it anew [BUN-14]. A content that another
 * bundle is about to have is fetched again.
 */
export async function collectBundles(options: CollectBundlesOptions): Promise<readonly string[]> {
  const { disk, dir, wanted } = options;
  const removed: string[] = [];
  const left: string[] = [];
  for (const { name, kind } of (await disk.list(dir)) ?? []) {
    if (kind !== 'directory' || !/^[0-9a-f]{64}$/.test(name)) continue;
    if (wanted.has(name)) await noteUse(disk, join(dir, name));
    if (await removeUnused(name, options)) removed.push(name);
    else left.push(name);
  }
  if (removed.length > 0) await removeContents(left, options);
  await sweepTemps(disk, dir);
  return removed;
}

async function removeUnused(
  digest: string,
  { disk, dir, nowMs, keepMs }: CollectBundlesOptions,
): Promise<boolean> {
  const home = join(dir, digest);
  const isOld = async () => nowMs - ((await lastUseMs(disk, home)) ?? nowMs) > keepMs;
  if (!(await isOld())) return false;
  await disk.makeDir(join(dir, BUNDLE_LOCKS));
  using lock = locksOf(disk).take(join(dir, BUNDLE_LOCKS, digest));
  if (!lock || !(await isOld())) return false;
  await removeHome(disk, home);
  return true;
}

/** Where nobody can tell what a bundle has, all contents stay. */
async function removeContents(left: readonly string[], { disk, dir }: CollectBundlesOptions): Promise<void> {
  const needed = new Set<string>();
  for (const digest of left) {
    const contents = await contentsNoted(disk, join(dir, digest));
    if (!contents) return;
    for (const name of contents) needed.add(name);
  }
  const objects = join(dir, BUNDLE_OBJECTS);
  for (const { name: start } of (await disk.list(objects)) ?? [])
    for (const { name } of (await disk.list(join(objects, start))) ?? [])
      if (!needed.has(name)) await disk.remove(join(objects, start, name));
}
