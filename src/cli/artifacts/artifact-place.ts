import { homedir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import {
  ArtifactCache,
  type ArtifactSource,
  bucketSource,
  folderSource,
  openStore,
} from '../../artifacts/index.ts';
import { systemClock, systemRandom, UsageError } from '../../base/index.ts';
import { type Bucket, isBucketUrl, openBucket } from '../../bucket/index.ts';
import { nodeDisk } from '../../disk/index.ts';
import { repositoryAround } from '../../git/index.ts';
import type { Terminal } from '../terminal.ts';
import type { CacheFlags, StoreFlags } from './artifact-options.ts';

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

/** The bucket that artifacts are pushed to and pulled from. */
export async function storeOf(
  { store }: StoreFlags,
  { cwd }: Terminal,
  { isNew = false } = {},
): Promise<Bucket> {
  if (store !== undefined)
    return openStore(isBucketUrl(store) ? store : resolve(cwd, store), { disk: nodeDisk, isNew });
  throw new UsageError({
    code: 'E_ARTIFACT_STORE',
    message: 'It is not said which bucket artifacts are shared by.',
    hint: 'Name it with --store, or as "artifacts.store" in holdfast.config.',
  });
}

/** What a word of the command line names: a bucket (also one that is a folder), or a folder in the layout of a cache. */
export async function sourceOf(word: string, { cwd }: Terminal): Promise<ArtifactSource> {
  const place = isBucketUrl(word) ? word : resolve(cwd, word);
  const isBucket = isBucketUrl(word) || (await nodeDisk.stat(join(place, 'objects')))?.kind === 'directory';
  if (isBucket) return bucketSource({ disk: nodeDisk, bucket: await openBucket(place, { disk: nodeDisk }) });
  if ((await nodeDisk.stat(join(place, 'units')))?.kind === 'directory') return folderSource(nodeDisk, place);
  throw new UsageError({
    code: 'E_ARTIFACT_SOURCE',
    message: `There are no artifacts in ${place}: it has neither "units" nor "objects".`,
    hint: 'Name a cache, a folder that "holdfast artifacts export" made, or a bucket.',
  });
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
