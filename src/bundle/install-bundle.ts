import { dirname, join } from 'node:path';
import { type Clock, exactJson, inOrder, type Random, systemClock, systemRandom } from '../base/index.ts';
import {
  createFile,
  type Disk,
  hashFile,
  locksOf,
  makeSymbolicLink,
  readSymbolicLink,
  safeJoin,
  sweepTemps,
  tempPathFor,
  whoAmI,
} from '../disk/index.ts';
import type { ProcessEnv } from '../process/index.ts';
import type { BundlePlace, BundlePorts } from './bundle.ts';
import { bundleErrors } from './bundle-errors.ts';
import { noteContents, noteUse, removeHome } from './bundle-home.ts';
import { refuseOtherMachine } from './compare-machine.ts';
import { installPackages } from './install-packages.ts';
import { type BundleManifest, contentsOf, type PlainFile } from './manifest.ts';
import { ObjectCache } from './object-cache.ts';
import { readBundleManifest } from './read-manifest.ts';

export interface InstallOptions {
  readonly disk: Disk;
  readonly place: BundlePlace;
  readonly digest: string;
  /** Where bundles are installed on this machine; all workers of it may share it. */
  readonly dir: string;
  /** What the installer of packages and the declared programs see; it also names the image. */
  readonly env: ProcessEnv;
  readonly clock?: Clock;
  readonly random?: Random;
  /** Default: that of the Node that runs. */
  readonly nodeMajor?: number | undefined;
  /** What the installer of packages says. */
  readonly onLine?: ((line: string) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface InstalledBundle {
  /** The folder that stands for the root of the work tree. */
  readonly root: string;
  readonly manifest: BundleManifest;
}

const CODE = 'code';
const MARKER = 'installed';
export const BUNDLE_LOCKS = 'locks';
export const BUNDLE_OBJECTS = 'objects';
const FILES_AT_A_TIME = 8;
const POLL_MS_MAX = 500;

/**
 * Makes a bundle ready to be run on this machine: once, whoever else of this machine wants it at the same time [BUN-11].
 *
 * ### Ordering
 * All under the lock of the bundle: every file, verified, in a folder with a temporary name; all of it synced; its name; the packages; the
 * marker last [BUN-12]. A death leaves a folder without a marker, which is removed and made anew. Packages are not synced by who installs
 * them, so the marker counts only until the machine is started again.
 */
export async function installBundle(options: InstallOptions): Promise<InstalledBundle> {
  const { disk, place, digest, dir, env, signal, nodeMajor } = options;
  const { clock = systemClock, random = systemRandom } = options;
  const ports: BundlePorts = { disk, clock, random, env, nodeMajor, signal };
  const manifest = await readBundleManifest(place, digest, signal);
  await disk.makeDir(dir);
  await refuseOtherMachine(digest, manifest, { ports, dir });
  const home = safeJoin(dir, digest);
  const root = join(home, CODE);
  using _lock = await lockOf(join(dir, BUNDLE_LOCKS), digest, ports);
  if (await isInstalled(disk, home)) await refuseChanged(disk, root, manifest);
  else {
    await sweepTemps(disk, dir, { clock });
    await removeHome(disk, home);
    await bringFiles(home, manifest, options);
    await installPackages(manifest, { ports, root, onLine: options.onLine });
    await noteContents(disk, home, contentsOf(manifest));
    await createFile(disk, join(home, MARKER), Buffer.from(exactJson({ boot: bootId() })));
  }
  await noteUse(disk, home);
  return { root, manifest };
}

/** It goes with its process, whatever kills that. Waiting is asking again. */
async function lockOf(
  folder: string,
  digest: string,
  { disk, clock, signal }: BundlePorts,
): Promise<Disposable> {
  await disk.makeDir(folder);
  for (let pauseMs = 10; ; pauseMs = Math.min(pauseMs * 2, POLL_MS_MAX)) {
    signal?.throwIfAborted();
    const lock = locksOf(disk).take(join(folder, digest));
    if (lock) return lock;
    await clock.sleep(pauseMs, signal);
  }
}

function bootId(): string {
  return whoAmI().bootId ?? '';
}

async function isInstalled(disk: Disk, home: string): Promise<boolean> {
  const marker = await disk.read(join(home, MARKER));
  return marker !== undefined && Buffer.from(marker).toString('utf8') === exactJson({ boot: bootId() });
}

async function bringFiles(home: string, manifest: BundleManifest, options: InstallOptions): Promise<void> {
  const { disk, place, dir, signal } = options;
  const temp = tempPathFor(home);
  const root = join(temp, CODE);
  const paths = [...manifest.files, ...manifest.data].map(({ path }) => path);
  try {
    const folders = foldersOf(root, paths);
    for (const folder of folders) await disk.makeDir(folder, { isSynced: false });
    const cache = new ObjectCache(join(dir, BUNDLE_OBJECTS), { disk, place, signal });
    const work = (file: PlainFile) => cache.put(file, safeJoin(root, file.path));
    for await (const _ of inOrder(contentsOf(manifest), { atATime: FILES_AT_A_TIME, work }));
    for (const file of manifest.files)
      if ('link' in file) await makeSymbolicLink(safeJoin(root, file.path), file.link);
    for (const folder of [...folders, temp]) await disk.syncDir(folder);
    await disk.rename(temp, home);
    await disk.syncDir(dir);
  } catch (error) {
    await tryRemoveTree(disk, temp);
    throw error;
  }
}

/** The folders that files lie in, parents first. */
function foldersOf(root: string, paths: readonly string[]): readonly string[] {
  const folders = new Set([root]);
  for (const path of paths)
    for (let at = dirname(safeJoin(root, path)); at.length > root.length; at = dirname(at)) folders.add(at);
  return [...folders].sort();
}

async function tryRemoveTree(disk: Disk, dir: string): Promise<void> {
  try {
    await disk.removeTree(dir);
  } catch {
    // Best effort: it has a temporary name, and is swept later. The first failure is the one that is told.
  }
}

/** [BUN-10] What is installed is looked at each time that it is taken: somebody may have written into it. Others may be using it, so it stays. */
async function refuseChanged(disk: Disk, root: string, manifest: BundleManifest): Promise<void> {
  const hint = `Stop the workers that use it and remove ${dirname(root)}: it is installed anew. Code must write elsewhere than into its own files.`;
  const changed = (path: string) =>
    bundleErrors.damaged(join(root, path), 'it was changed after it was installed', hint);
  const work = async ({ path, sha256, size }: PlainFile) => {
    const full = safeJoin(root, path);
    if (!(await disk.stat(full))) throw changed(path);
    await using file = await disk.open(full, 'read');
    if ((await hashFile(file, { sizeHint: size })).sha256 !== sha256) throw changed(path);
  };
  for await (const _ of inOrder(contentsOf(manifest), { atATime: FILES_AT_A_TIME, work }));
  for (const file of manifest.files)
    if ('link' in file && (await readSymbolicLink(safeJoin(root, file.path))) !== file.link)
      throw changed(file.path);
}
