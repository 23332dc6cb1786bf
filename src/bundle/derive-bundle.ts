import { join, posix, relative } from 'node:path';
import { inOrder } from '../base/index.ts';
import { hashFile, isExecutable, readSymbolicLink, realPathOf } from '../disk/index.ts';
import { type Bundle, type BundlePorts, type BundleSettings, type LeftOut, nodeMajorHere } from './bundle.ts';
import { bundleErrors } from './bundle-errors.ts';
import { type FoundCode, findCode, pathFromRoot } from './find-code.ts';
import {
  BUNDLE_FORMAT,
  BUNDLE_VERSION,
  type BundleFile,
  type BundleManifest,
  type DataFile,
  digestOfManifest,
} from './manifest.ts';
import { isNamedExactly, matchFiles } from './match-files.ts';
import { findLock } from './packages.ts';
import { byPath, clashIn, isPathOfBundle, isWithin, leavesBundle } from './paths.ts';
import { readPrograms } from './programs.ts';
import { refuseSecret } from './secrets.ts';

export interface DeriveOptions extends BundlePorts {
  /** The folder that somebody works in. */
  readonly dir: string;
  readonly settings: BundleSettings;
}

const FILES_AT_A_TIME = 8;

/**
 * The code around a folder as a bundle. [BUN-1] Its digest is of contents alone: the same files give the same digest from another clone, a
 * linked work tree, at other times and in another order.
 */
export async function deriveBundle({ dir: given, settings, ...ports }: DeriveOptions): Promise<Bundle> {
  // Whether it lies in a repository is seen only from where it really is.
  const dir = await realPathOf(given);
  const code = await findCode(dir, ports, settings);
  const chosen = await chooseFiles(dir, code, { ports, settings });
  const files: BundleFile[] = [];
  const work = (path: string) => describe(path, code, { ports, chosen });
  for await (const file of inOrder(chosen.paths, { atATime: FILES_AT_A_TIME, work }))
    if (file) files.push(file);
  if (files.length === 0) throw bundleErrors.empty(`${code.root} has no files`);
  const manifest: BundleManifest = {
    data: await describeData(chosen, ports),
    files: files.sort(byPath),
    format: BUNDLE_FORMAT,
    image: settings.image ?? null,
    lock: chosen.lock ?? null,
    node: ports.nodeMajor ?? nodeMajorHere(),
    programs: [...(await readPrograms(settings.programs ?? [], { ports, dir: code.root }))],
    version: BUNDLE_VERSION,
  };
  return {
    digest: digestOfManifest(manifest),
    manifest,
    root: code.root,
    dir: code.dir,
    revision: code.revision,
    ...dirtOf(code, chosen, await unwatchedIn(code, chosen)),
    filesFrom: (path) => join(chosen.data.get(path) ?? code.root, path),
  };
}

/** Which files are in the bundle, before any of them is read. */
interface Chosen {
  readonly paths: readonly string[];
  /** By path: the root that has it. */
  readonly data: ReadonlyMap<string, string>;
  readonly lock: string | undefined;
  /** True when the settings say which files they are. */
  readonly isListed: boolean;
  /** What the settings name without a wildcard is meant, whatever is in it. */
  readonly isMeant: (path: string) => boolean;
}

async function chooseFiles(
  dir: string,
  code: FoundCode,
  { ports, settings }: { readonly ports: BundlePorts; readonly settings: BundleSettings },
): Promise<Chosen> {
  const { root, mainRoot, isOurs } = code;
  const from = pathFromRoot(await realPathOf(settings.from ?? dir), { dir, dirInRoot: code.dir });
  const here = mainRoot === undefined ? [root] : [root, mainRoot];
  const listed =
    settings.files && (await matchFiles(settings.files, { key: 'files', roots: [root], from, isOurs }));
  const data = await matchFiles(settings.data ?? [], { key: 'data', roots: here, from, isOurs });
  const isFile = async (path: string) => (await ports.disk.stat(join(root, path)))?.kind === 'file';
  const lock = await findLock(code.dir, isFile);
  if (!listed && code.paths.length === 0) throw bundleErrors.empty(`git tracks no file in ${dir}`);
  const paths = new Set(listed ? listed.keys() : code.paths);
  for (const path of lock === undefined ? [] : [lock, posix.join(posix.dirname(lock), 'package.json')])
    if (await isFile(path)) paths.add(path);
  for (const path of data.keys()) paths.delete(path);
  const [over, below] = clashIn([...paths, ...data.keys()]) ?? [];
  if (over !== undefined)
    throw bundleErrors.file(
      `${below}`,
      `${JSON.stringify(over)} is no folder but a link in the code`,
      LIST_HINT,
    );
  const named = [...(settings.files ?? []), ...(settings.data ?? [])];
  return {
    paths: [...paths].sort(),
    data,
    lock,
    isListed: listed !== undefined,
    isMeant: (path) => isNamedExactly(path, named, { from }),
  };
}

interface Describing {
  readonly ports: BundlePorts;
  readonly chosen: Chosen;
}

/** What the manifest says of a file, as it is in the work tree; undefined for one that was removed there. */
async function describe(
  path: string,
  code: FoundCode,
  { ports, chosen }: Describing,
): Promise<BundleFile | undefined> {
  const { disk } = ports;
  const full = join(code.root, path);
  refuseByName(path, code, chosen);
  const link = chosen.isListed ? undefined : await readSymbolicLink(full);
  if (link !== undefined) {
    if (!leavesBundle(path, link)) return { link, path };
    throw bundleErrors.file(path, `it is a link to ${link}, which may lead out of the code`, LINK_HINT);
  }
  const stat = await disk.stat(full);
  if (stat?.kind !== 'file') {
    if (code.changed.includes(path)) return undefined;
    throw bundleErrors.file(path, stat ? 'it is no file' : 'it is not in the work tree', MISSING_HINT);
  }
  if (!chosen.isMeant(path)) await refuseSecret(disk, code.root, path);
  await using file = await disk.open(full, 'read');
  const { sha256, size } = await hashFile(file, { signal: ports.signal, sizeHint: stat.sizeBytes });
  const tracked = code.tracked.get(path);
  const executable = tracked && !code.hasFileModes ? tracked.isExecutable : isExecutable(full);
  return { executable, path, sha256, size };
}

const LIST_HINT = 'List the files that workers need as "bundle.files" in holdfast.config.';
const LINK_HINT = `Let it lead to a file of the code, by a relative path; or put what it leads to in its place. ${LIST_HINT}`;
const MISSING_HINT = `Check it out ("git sparse-checkout disable", "git restore"). ${LIST_HINT}`;

const PLUG_AND_PLAY = /(^|\/)\.pnp\.(cjs|js|loader\.mjs|data\.json)$/;

function refuseByName(path: string, { tracked }: FoundCode, { lock, isListed }: Chosen): void {
  const file = tracked.get(path);
  if (!isPathOfBundle(path))
    throw bundleErrors.file(
      path,
      'its name does not mean the same on every machine',
      'Give it another name.',
    );
  if (lock !== undefined && path.split('/').includes('node_modules'))
    throw bundleErrors.file(path, 'packages are installed by the lock file, and would replace it', LIST_HINT);
  if (lock !== undefined && PLUG_AND_PLAY.test(path))
    throw bundleErrors.file(
      path,
      'Yarn removes it where packages are installed into a folder, as workers do',
      'Take it out of git and let git ignore it: Yarn writes it anew by itself.',
    );
  if (file?.kind === 'submodule' && !isListed)
    throw bundleErrors.file(path, 'it is a submodule, whose files this repository does not track', LIST_HINT);
  if (file?.isConflict)
    throw bundleErrors.file(path, 'it is in conflict', 'Finish the merge or the rebase, or abort it.');
}

async function describeData({ data, isMeant }: Chosen, { disk, signal }: BundlePorts): Promise<DataFile[]> {
  const found: DataFile[] = [];
  const work = async ([path, root]: readonly [string, string]): Promise<DataFile> => {
    if (!isPathOfBundle(path))
      throw bundleErrors.file(
        path,
        'its name does not mean the same on every machine',
        'Give it another name.',
      );
    if (!isMeant(path)) await refuseSecret(disk, root, path);
    await using file = await disk.open(join(root, path), 'read');
    const { sha256, size } = await hashFile(file, { signal });
    return { path, sha256, size };
  };
  for await (const file of inOrder(data, { atATime: FILES_AT_A_TIME, work })) found.push(file);
  return found.sort(byPath);
}

/** What the commit does not give, and what lies beside the code: of a list of files, only what is on it counts. */
function dirtOf(
  code: FoundCode,
  { paths, data, isListed }: Chosen,
  unwatched: readonly string[],
): Pick<Bundle, 'isDirty' | 'dirtyFiles' | 'leftOut'> {
  const { changed, untracked, tracked } = code;
  const inside = new Set(paths);
  // A submodule, and a repository that lies in this one, are named as one.
  const isFolder = (path: string) => path.endsWith('/') || tracked.get(path)?.kind === 'submodule';
  const isInside = (path: string) =>
    inside.has(path) || (isFolder(path) && paths.some((one) => isWithin(path.replace(/\/$/, ''), one)));
  const matters = (path: string) => !isListed || isInside(path) || data.has(path);
  // Data that git does not know is declared.
  const unknown = untracked.filter((path) => !data.has(path));
  const dirtyFiles = [...new Set([...changed, ...unknown, ...unwatched].filter(matters))].sort();
  const leftOut: LeftOut[] = unknown.flatMap((path) =>
    matters(path) && !isInside(path) ? { path, reason: 'untracked' } : [],
  );
  for (const path of code.secrets) if (!isListed && !data.has(path)) leftOut.push({ path, reason: 'secret' });
  return { isDirty: dirtyFiles.length > 0, dirtyFiles, leftOut: leftOut.sort(byPath) };
}

/**
 * What goes along although git would not say that it changed: it was told not to look, it ignores the file, or a link leads to a file that it
 * does not know or that is not as the commit has it. What is declared as data need not be known to git.
 */
async function unwatchedIn(code: FoundCode, { paths, data, isListed }: Chosen): Promise<readonly string[]> {
  const { root, tracked, isInGit } = code;
  if (!isInGit) return [];
  const changed = new Set(code.changed);
  const submodules = [...tracked.values()].filter(({ kind }) => kind === 'submodule');
  const found = [...data.keys()].filter((path) => tracked.get(path)?.isUnwatched);
  for (const path of paths) {
    // Only of a list are links followed.
    const real = isListed ? relative(root, await realPathOf(join(root, path))).replaceAll('\\', '/') : path;
    const file = tracked.get(real) ?? submodules.find((one) => isWithin(one.path, real));
    if (!file || file.isUnwatched || changed.has(real)) found.push(path);
  }
  return found;
}
