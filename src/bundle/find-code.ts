import { dirname, join, posix, relative, resolve } from 'node:path';
import { ActionableError } from '../base/index.ts';
import type { Disk } from '../disk/index.ts';
import { repositoryAround, type TrackedFile, type WorkTree, workTreeAt } from '../git/index.ts';
import type { BundlePorts, BundleSettings } from './bundle.ts';
import { bundleErrors } from './bundle-errors.ts';
import { isWithin } from './paths.ts';
import { isNamedSecret } from './secrets.ts';

/** The code around a folder, before any of it is read. */
export interface FoundCode {
  readonly root: string;
  /** From the root to the folder that was asked about; empty when they are one. */
  readonly dir: string;
  /** Where data lies that is not in a linked work tree. */
  readonly mainRoot: string | undefined;
  readonly revision: string | undefined;
  /** Without git no commit could have any of it. */
  readonly isInGit: boolean;
  /** Paths of the code, unless the settings list others. */
  readonly paths: readonly string[];
  /** Those that git tracks; none without git. */
  readonly tracked: ReadonlyMap<string, TrackedFile>;
  readonly hasFileModes: boolean;
  /** Not as the commit has it. */
  readonly changed: readonly string[];
  readonly untracked: readonly string[];
  /** Left out without a question, since there is no git that could be told to ignore them. */
  readonly secrets: readonly string[];
  /** What is never code, by its path from the root: logs, what we keep ourselves. */
  readonly isOurs: (path: string) => boolean;
}

/** Folders that are never code: packages are installed anew, the rest is ours or git's. */
const NEVER_CODE: readonly string[] = ['node_modules', '.git', '.holdfast'];

/**
 * What git tracks in the work tree around a folder; without a repository, what lies in the folder of its package. [BUN-5] A repository that
 * git cannot read is not taken for none.
 */
export async function findCode(
  dir: string,
  ports: BundlePorts,
  settings: BundleSettings,
): Promise<FoundCode> {
  const repository = await repositoryAround(ports.disk, dir);
  const found = repository === undefined ? await packageAround(ports.disk, dir) : await asGitSays(dir, ports);
  const { logDir = '.' } = settings;
  const logs = pathFromRoot(logDir, { dir, dirInRoot: found.dir });
  // Logs that lie among the code are not told from it.
  const isLog = (path: string) => !isWithin(logs, found.dir) && isWithin(logs, path);
  const isOurs = (path: string) => path.split('/').some((part) => NEVER_CODE.includes(part)) || isLog(path);
  return {
    ...found,
    paths: found.paths.filter((path) => found.tracked.has(path) || !isOurs(path)),
    // What we write ourselves says nothing about the code.
    untracked: found.untracked.filter((path) => !isOurs(path)),
    isOurs,
  };
}

/** From the root to a path that somebody in `dir` means. May lead out of the root; empty for the root itself. */
export function pathFromRoot(
  path: string,
  { dir, dirInRoot }: { readonly dir: string; readonly dirInRoot: string },
): string {
  const full = posix.join(dirInRoot, relative(dir, resolve(dir, path)).replaceAll('\\', '/'));
  return full === '.' ? '' : full;
}

type Found = Omit<FoundCode, 'isOurs'>;

async function asGitSays(dir: string, ports: BundlePorts): Promise<Found> {
  const tree = await readTree(dir, ports);
  const hasCode = tree.tracked.some(({ path }) => isWithin(tree.prefix, path));
  return {
    root: tree.top,
    dir: tree.prefix,
    mainRoot: tree.mainTop,
    revision: tree.commit,
    // A folder that the repository around it ignores is not its code.
    paths: hasCode ? tree.tracked.map(({ path }) => path) : [],
    tracked: new Map(tree.tracked.map((file) => [file.path, file])),
    hasFileModes: tree.hasFileModes,
    changed: tree.changed,
    untracked: tree.untracked,
    secrets: [],
    isInGit: true,
  };
}

async function readTree(dir: string, ports: BundlePorts): Promise<WorkTree> {
  try {
    return await workTreeAt(dir, ports);
  } catch (error) {
    // Seen from outside there is one: git does not say why it takes it for none.
    if (error instanceof ActionableError && error.code === 'E_NO_REPOSITORY')
      throw bundleErrors.git(dir, error);
    throw error;
  }
}

async function packageAround(disk: Disk, dir: string): Promise<Found> {
  const root = (await folderOfPackage(disk, dir)) ?? dir;
  const all = await filesBelow(disk, root);
  return {
    root,
    dir: relative(root, dir).replaceAll('\\', '/'),
    mainRoot: undefined,
    revision: undefined,
    paths: all.filter((path) => !isNamedSecret(path)),
    tracked: new Map(),
    hasFileModes: process.platform !== 'win32',
    changed: [],
    untracked: [],
    secrets: all.filter(isNamedSecret),
    isInGit: false,
  };
}

async function folderOfPackage(disk: Disk, dir: string): Promise<string | undefined> {
  for (let at = resolve(dir); ; at = dirname(at)) {
    if (await disk.stat(join(at, 'package.json'))) return at;
    if (at === dirname(at)) return undefined;
  }
}

/** Links are named and never followed. */
async function filesBelow(disk: Disk, root: string): Promise<readonly string[]> {
  const found: string[] = [];
  const open = [''];
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    for (const { name, kind } of (await disk.list(join(root, folder))) ?? []) {
      if (NEVER_CODE.includes(name)) continue;
      const path = folder === '' ? name : `${folder}/${name}`;
      if (kind === 'directory') open.push(path);
      else found.push(path);
    }
  }
  return found.sort();
}
