import { homedir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { ArtifactCache, type ArtifactSource, openStore, sourceAt } from '../../artifacts/index.ts';
import { errnoOf, systemClock, systemRandom, UsageError } from '../../base/index.ts';
import { type Bucket, isBucketUrl } from '../../bucket/index.ts';
import { nodeDisk } from '../../disk/index.ts';
import { repositoryAround } from '../../git/index.ts';
import { STATE_FOLDER } from '../../journal/index.ts';
import { isLogName } from '../../log/index.ts';
import type { Terminal } from '../terminal.ts';
import type { CacheFlags, StoreFlags } from './artifact-options.ts';

/** The warm cache that a command speaks of. */
export async function cacheOf(flags: CacheFlags, terminal: Terminal): Promise<ArtifactCache> {
  const { cwd, env } = terminal;
  const dir = await cacheDirOf(flags, cwd);
  await refuseFile(dir);
  const hostPaths = [env.HOME || homedir(), cwd];
  return ArtifactCache.open({ disk: nodeDisk, dir, clock: systemClock, random: systemRandom, hostPaths });
}

/** What is to hold artifacts is a folder, or nothing yet: below a file there can be none. */
export async function refuseFile(dir: string): Promise<void> {
  if (await isFolderOrNothing(dir)) return;
  throw new UsageError({
    code: 'E_ARTIFACT_NO_FOLDER',
    message: `${dir} cannot hold artifacts: it is a file, or lies below one.`,
    hint: 'Name a folder, or one that is not there yet: it is made.',
  });
}

/** Where it lies, whether or not there is one yet. */
export async function cacheDirOf({ cache }: Pick<CacheFlags, 'cache'>, cwd: string): Promise<string> {
  if (cache === undefined) return defaultCacheDir(cwd);
  const dir = resolve(cwd, cache);
  await refuseFile(dir);
  return dir;
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

/** Where artifacts come from. */
export interface NamedSource {
  readonly source: ArtifactSource;
  /** When a run was named: its folder, which gets a copy of the report. */
  readonly runDir?: string;
}

/**
 * What a word of the command line names: a bucket (also one that is a folder), a folder in the layout of a cache, or a run, by its log or
 * its folder, that has its cache beside it. `ownDir`, which is merged into, is the cache of no other run.
 */
export async function sourceOf(
  word: string,
  { cwd, ownDir }: { readonly cwd: string; readonly ownDir: string },
): Promise<NamedSource> {
  const place = isBucketUrl(word) ? word : resolve(cwd, word);
  const source = await sourceAt(nodeDisk, place);
  if (source) return { source };
  const isFile = (await nodeDisk.stat(place))?.kind === 'file';
  if (isFile && !isLogName(basename(place))) throw noArtifacts(place);
  const runDir = isFile ? dirname(place) : place;
  for (const dir of await placesBeside(runDir)) {
    const beside = dir === ownDir ? undefined : await sourceAt(nodeDisk, dir);
    if (beside) return { source: beside, runDir };
  }
  throw noArtifacts(place);
}

function noArtifacts(place: string): UsageError {
  return new UsageError({
    code: 'E_ARTIFACT_SOURCE',
    message: `There are no artifacts in ${place}: it has neither "units" nor "objects", and is no run with a cache beside it.`,
    hint: 'Name a cache, a folder that "holdfast artifacts export" made, a bucket, or the log or the folder of a run of another machine with its .holdfast/artifacts.',
  });
}

/** Where a run may have its cache: in its folder, or in that of the project, around its folder of logs. */
async function placesBeside(runDir: string): Promise<readonly string[]> {
  const within = (dir: string) => [join(dir, 'artifacts'), join(dir, '.holdfast/artifacts')];
  const entries = (await nodeDisk.list(runDir)) ?? [];
  const hasLogs = entries.some(({ name }) => isLogName(name) || name === STATE_FOLDER);
  return hasLogs ? [...within(runDir), ...within(dirname(runDir))] : within(runDir);
}

async function isFolderOrNothing(path: string): Promise<boolean> {
  try {
    const found = await nodeDisk.stat(path);
    return found === undefined || found.kind === 'directory';
  } catch (error) {
    if (errnoOf(error) === 'ENOTDIR') return false;
    throw error;
  }
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
