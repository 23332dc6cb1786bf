import { basename, dirname, join, resolve } from 'node:path';
import { errnoOf } from '../base/index.ts';
import type { Disk } from '../disk/index.ts';

/** `fetched`: only a remote has it, as far as is known. `unknown`: only git itself can tell. */
export type BranchPeek = 'there' | 'fetched' | 'absent' | 'unknown' | 'no repository';

/**
 * Whether the repository around a path may have a branch, or one that goes on from it (`<branch>-2`), from a few looks at the disk and without
 * starting git: for those who want to know at every start whether there is anything for them at all.
 */
export async function peekBranch(disk: Disk, path: string, branch: string): Promise<BranchPeek> {
  const dir = await repositoryAround(disk, path);
  if (dir === undefined) return 'no repository';
  // Where refs are kept in tables, only git can read them.
  if ((await disk.stat(join(dir, 'reftable')))?.kind === 'directory') return 'unknown';
  const packed = await textOf(disk, join(dir, 'packed-refs'));
  const isPacked = (folder: string) => new RegExp(` ${folder}/${literal(branch)}(-\\d+)?$`, 'm').test(packed);
  if ((await isLoose(disk, join(dir, 'refs/heads'), branch)) || isPacked('refs/heads')) return 'there';
  if (isPacked('refs/remotes/[^/\\s]+')) return 'fetched';
  for (const { name } of (await disk.list(join(dir, 'refs/remotes'))) ?? [])
    if (await isLoose(disk, join(dir, 'refs/remotes', name), branch)) return 'fetched';
  return 'absent';
}

/** A file beside others of its folder, itself or with a number. */
async function isLoose(disk: Disk, dir: string, branch: string): Promise<boolean> {
  const path = join(dir, branch);
  const names = (await orNothing(disk.list(dirname(path)))) ?? [];
  const wanted = new RegExp(`^${literal(basename(path))}(-\\d+)?$`);
  return names.some(({ name, kind }) => kind === 'file' && wanted.test(name));
}

function literal(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/** The folder that all work trees of the repository around a path share; undefined where there is no repository. */
export async function repositoryAround(disk: Disk, path: string): Promise<string | undefined> {
  for (let at = resolve(path); ; at = dirname(at)) {
    const found = (await gitDirOf(disk, join(at, '.git'))) ?? ((await isBare(disk, at)) ? at : undefined);
    if (found !== undefined) return sharedDirOf(disk, found);
    if (at === dirname(at)) return undefined;
  }
}

/** `.git` is a folder, or in a linked work tree or submodule a file that names one. */
async function gitDirOf(disk: Disk, path: string): Promise<string | undefined> {
  const kind = (await orNothing(disk.stat(path)))?.kind;
  if (kind === 'directory') return path;
  if (kind !== 'file') return undefined;
  const named = /^gitdir: (.+)/.exec(await textOf(disk, path))?.[1];
  return named === undefined ? undefined : resolve(dirname(path), named.trim());
}

async function sharedDirOf(disk: Disk, dir: string): Promise<string> {
  const common = (await textOf(disk, join(dir, 'commondir'))).trim();
  return common === '' ? dir : resolve(dir, common);
}

async function isBare(disk: Disk, dir: string): Promise<boolean> {
  const [head, objects, refs] = await Promise.all(
    ['HEAD', 'objects', 'refs'].map((name) => orNothing(disk.stat(join(dir, name)))),
  );
  return head?.kind === 'file' && objects?.kind === 'directory' && refs?.kind === 'directory';
}

async function textOf(disk: Disk, path: string): Promise<string> {
  return Buffer.from((await disk.read(path)) ?? []).toString('utf8');
}

/** Below a file there is nothing. */
async function orNothing<T>(looking: Promise<T>): Promise<T | undefined> {
  try {
    return await looking;
  } catch (error) {
    if (errnoOf(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}
