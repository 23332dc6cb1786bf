import { homedir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { Option } from 'commander';
import { ArtifactCache } from '../../artifacts/index.ts';
import { systemClock, systemRandom } from '../../base/index.ts';
import { nodeDisk } from '../../disk/index.ts';
import { repositoryAround } from '../../git/index.ts';
import type { CommonFlags } from '../command.ts';
import type { Terminal } from '../terminal.ts';

export interface CacheFlags extends CommonFlags {
  readonly cache?: string;
}

export function cacheOption(): Option {
  return new Option('--cache <dir>', 'the folder of the warm cache (default: that of the repository)');
}

/** The warm cache that a command speaks of. */
export async function cacheOf(flags: CacheFlags, terminal: Terminal): Promise<ArtifactCache> {
  const { cwd, env } = terminal;
  const dir = await cacheDirOf(flags, cwd);
  const hostPaths = [env.HOME || homedir(), cwd];
  return ArtifactCache.open({ disk: nodeDisk, dir, clock: systemClock, random: systemRandom, hostPaths });
}

/** Where it lies, whether or not there is one yet. */
export async function cacheDirOf({ cache }: Pick<CacheFlags, 'cache'>, cwd: string): Promise<string> {
  return cache === undefined ? await defaultCacheDir(cwd) : resolve(cwd, cache);
}

/** Linked work trees of one repository share one cache. Without a repository it is that of the folder. */
async function defaultCacheDir(cwd: string): Promise<string> {
  const shared = await repositoryAround(nodeDisk, cwd);
  if (shared === undefined) return join(cwd, '.holdfast/artifacts');
  // A bare repository, or that of a submodule, has no work tree of its own around it.
  return basename(shared) === '.git'
    ? join(dirname(shared), '.holdfast/artifacts')
    : join(shared, 'holdfast/artifacts');
}
