import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { UsageError } from '../base/index.ts';
import { isBucketUrl, openBucket } from '../bucket/index.ts';
import type { Disk } from '../disk/index.ts';
import { CatFile, findRepository, type Git, type GitPorts, refsLike } from '../git/index.ts';
import { StateDir } from '../journal/index.ts';
import { bucketLogStore, directoryLogStore, logTree, type ReadableLogs } from '../log/index.ts';
import { openResults } from '../results/index.ts';
import { agentvSource } from './agentv/agentv-source.ts';
import { journalSource } from './journal-source.ts';
import { logSource } from './log-source.ts';
import { oneLog } from './one-log.ts';
import { resultsSource } from './results-source.ts';
import { openRowMemory } from './row-memory.ts';
import type { RunSource } from './run-source.ts';

export interface OpenSourceOptions extends GitPorts {
  /** Where relative paths begin. */
  readonly cwd: string;
  /** A folder of the user's own, for what is remembered of places beside which nothing can be written. */
  readonly cacheDir?: string | undefined;
}

/** The branches that are looked for in a repository, unless one is named. */
const BRANCHES = ['holdfast/results', 'agentv/results/v1'] as const;

/**
 * Opens what a person names: a folder or a bucket of logs, one log, or a repository with results, in the branch after a `#` or in those that
 * results are usually kept in. A folder of logs comes with the runs under way in it, so there may be several. Whoever opens closes.
 */
export async function openSource(given: string, options: OpenSourceOptions): Promise<readonly RunSource[]> {
  if (isBucketUrl(given)) return openBucketOfLogs(given, options);
  const path = resolve(options.cwd, given);
  if (await isDirectory(options.disk, path)) {
    const inRepository = (await isRepository(options.disk, path))
      ? await openBranches(path, BRANCHES, options)
      : [];
    return inRepository.length > 0 ? inRepository : openFolder(path, options);
  }
  if (/\.(eval|json)$/.test(path) && (await options.disk.stat(path))?.kind === 'file')
    return [await openLogs(oneLog(options.disk, path), options)];
  const hash = given.lastIndexOf('#');
  const repository = hash < 0 ? undefined : resolve(options.cwd, given.slice(0, hash));
  if (repository === undefined || !(await isDirectory(options.disk, repository))) throw noSource(given);
  const found = await openBranches(repository, [given.slice(hash + 1)], options);
  if (found.length === 0) throw noBranch(given.slice(hash + 1), repository);
  return found;
}

/** A folder of logs with all folders in it, and the runs whose journals lie beside them. */
export async function openFolder(path: string, options: OpenSourceOptions): Promise<readonly RunSource[]> {
  const { disk, clock } = options;
  const logs = directoryLogStore(disk, path);
  const state = StateDir.of(path);
  return [
    await openLogs(logTree(disk, path), options, state.runRows),
    journalSource({ disk, clock, state, logs }),
  ];
}

async function openBucketOfLogs(url: string, options: OpenSourceOptions): Promise<readonly RunSource[]> {
  const { disk } = options;
  // A directory that is not there is named wrongly; other buckets answer for themselves.
  if (/^file:/i.test(url) && !(await isDirectory(disk, fileURLToPath(url)))) throw noSource(url);
  return [await openLogs(bucketLogStore(await openBucket(url, { disk }), '', { disk }), options)];
}

async function openLogs(logs: ReadableLogs, options: OpenSourceOptions, beside?: string): Promise<RunSource> {
  const { disk, clock, cacheDir } = options;
  return logSource(logs, {
    clock,
    memory: await openRowMemory({ disk, place: logs.place, beside, cacheDir }),
  });
}

async function openBranches(
  path: string,
  branches: readonly string[],
  options: OpenSourceOptions,
): Promise<readonly RunSource[]> {
  const git = await findRepository(path, options);
  const sources: RunSource[] = [];
  for (const branch of branches) {
    const ref = await refOf(git, branch);
    if (ref !== undefined) sources.push(await openRef(git, { ref, branch }, options));
  }
  return sources;
}

async function openRef(
  git: Git,
  { ref, branch }: { readonly ref: string; readonly branch: string },
  options: OpenSourceOptions,
): Promise<RunSource> {
  await using objects = new CatFile(git);
  const isOurs = (await objects.info(`${ref}:format.json`)) !== undefined;
  if (isOurs) return resultsSource(await openResults({ ...options, repo: git.dir, branch }));
  return agentvSource({ git, ref, scratch: { disk: options.disk } });
}

/** The branch itself, else the newest state of it that was fetched. */
async function refOf(git: Git, branch: string): Promise<string | undefined> {
  const names = [`refs/heads/${branch}`, `refs/remotes/*/${branch}`, `refs/remotes/${branch}`];
  const [first] = await refsLike(git, names);
  return first;
}

async function isRepository(disk: Disk, path: string): Promise<boolean> {
  if (await disk.stat(join(path, '.git'))) return true;
  const parts = await Promise.all(['HEAD', 'objects', 'refs'].map((name) => disk.stat(join(path, name))));
  return parts.every((stat) => stat !== undefined);
}

async function isDirectory(disk: Disk, path: string): Promise<boolean> {
  return (await disk.stat(path))?.kind === 'directory';
}

function noSource(given: string): UsageError {
  return new UsageError({
    code: 'E_SOURCE_NONE',
    message: `There is no source of runs at ${given}.`,
    hint: 'Name a folder of logs or one log, the URL of a bucket, or a repository: <path> or <path>#<branch>.',
  });
}

function noBranch(branch: string, repository: string): UsageError {
  return new UsageError({
    code: 'E_SOURCE_NONE',
    message: `The repository ${repository} has no branch ${branch}.`,
    hint: `See "git branch" there. Results are usually in ${BRANCHES.join(' or ')}.`,
  });
}
