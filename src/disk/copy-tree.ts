import type { Stats } from 'node:fs';
import { constants } from 'node:fs';
import * as fs from 'node:fs/promises';
import { dirname, isAbsolute, join, normalize, relative, resolve, sep } from 'node:path';
import { ActionableError, errnoOf, UsageError } from '../base/index.ts';
import { explainDiskError } from './explain.ts';
import { isHeldLock } from './held-locks.ts';

/**
 * Copies a directory with all that is in it: a fresh workspace from a template. Permissions are kept. Symbolic links
 * stay links and lead to the same place within the copy; one that leaves the tree is refused with E_COPY_LINK before
 * anything of its directory is used. `to` must be missing or empty. Locks that
 * this process holds are left out: to read one is to lose it. Not durable, and no part of what must survive.
 */
export async function copyTree(from: string, to: string): Promise<void> {
  try {
    const root = await fs.realpath(from);
    await refuseOverlap(root, to);
    await fs.mkdir(dirname(resolve(to)), { recursive: true });
    await copyDirectory({ root, from: root, to: resolve(to) });
  } catch (error) {
    throw explainDiskError(error, to);
  }
}

interface Copy {
  /** The real path of the whole tree that is copied. */
  readonly root: string;
  readonly from: string;
  readonly to: string;
}

async function copyDirectory(copy: Copy): Promise<void> {
  const { mode } = await fs.lstat(copy.from);
  await makeEmptyDirectory(copy.to);
  for (const name of (await fs.readdir(copy.from)).sort()) {
    if (isHeldLock(join(copy.from, name))) continue;
    await copyEntry({ root: copy.root, from: join(copy.from, name), to: join(copy.to, name) });
  }
  // Last, since the directory may be read-only.
  await fs.chmod(copy.to, mode & 0o777);
}

async function makeEmptyDirectory(dir: string): Promise<void> {
  try {
    await fs.mkdir(dir);
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
    // `readdir` fails with ENOTDIR where a file is in the way.
    if ((await fs.readdir(dir)).length > 0) throw error;
  }
}

async function copyEntry(copy: Copy): Promise<void> {
  const stats = await fs.lstat(copy.from);
  if (stats.isDirectory()) return copyDirectory(copy);
  if (stats.isSymbolicLink()) return copyLink(copy);
  if (stats.isFile()) return copyFile(copy, stats);
  throw new ActionableError({
    code: 'E_COPY_SPECIAL',
    message: `Cannot copy ${copy.from}: it is neither a file, a directory nor a symbolic link.`,
    hint: 'Remove sockets, pipes and devices from the template.',
  });
}

async function copyFile(copy: Copy, stats: Stats): Promise<void> {
  await fs.copyFile(copy.from, copy.to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  await fs.chmod(copy.to, stats.mode & 0o777);
}

/** An absolute link into the template would lead back to the original, so every copy is relative. */
async function copyLink(copy: Copy): Promise<void> {
  const target = await fs.readlink(copy.from);
  const full = resolve(dirname(copy.from), target);
  if (!(await staysInside(copy, target))) {
    throw new UsageError({
      code: 'E_COPY_LINK',
      message: `${copy.from} is a symbolic link to ${target}, which is outside ${copy.root}.`,
      hint: 'Replace the link by what it points to, or remove it from the template.',
    });
  }
  await fs.symlink(isAbsolute(target) ? relative(dirname(copy.from), full) || '.' : target, copy.to);
}

async function staysInside(copy: Copy, target: string): Promise<boolean> {
  const written = resolve(dirname(copy.from), target);
  const real = await realpathIfAny(copy.from);
  if (real !== undefined) return isWithin(copy.root, real) && isWithin(copy.root, written);
  // It leads to nothing yet. `a/../b` cannot be judged then: where it leads depends on what `a` will be.
  return isWithin(copy.root, written) && normalize(target) === target.replace(/\/$/, '');
}

async function realpathIfAny(path: string): Promise<string | undefined> {
  try {
    return await fs.realpath(path);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ELOOP') return undefined;
    throw error;
  }
}

function isWithin(root: string, path: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}

async function refuseOverlap(root: string, to: string): Promise<void> {
  const target = await realTarget(resolve(to));
  if (!isWithin(root, target)) return;
  throw new UsageError({
    code: 'E_COPY_INTO_ITSELF',
    message: `Cannot copy ${root} to ${to}, which is inside it.`,
    hint: 'Keep the template and the place of the workspaces apart.',
  });
}

/** The real path of what may not exist yet. */
async function realTarget(path: string): Promise<string> {
  const real = await realpathIfAny(path);
  if (real !== undefined || dirname(path) === path) return real ?? path;
  return join(await realTarget(dirname(path)), path.slice(dirname(path).length));
}
