import { join } from 'node:path';
import type { Git } from './git.ts';

/** How many packs a repository has. Each one is looked at for every object that is asked for. */
export async function countPacks(git: Git): Promise<number> {
  const entries = (await git.disk.list(join(git.dir, 'objects', 'pack'))) ?? [];
  return entries.filter(({ name }) => name.endsWith('.pack')).length;
}

/**
 * Puts small packs and loose objects together, each pack at least twice as large as the next: what is large is not touched, and over time every
 * object is written a few times only. Nothing is pruned. Safe beside readers and writers of the same repository.
 */
export async function repackByGeometry(git: Git): Promise<void> {
  await git.run(['repack', '--geometric=2', '-d', '--quiet', '--no-write-bitmap-index']);
}

/** Lets git find the commit of a path without looking into every commit. */
export async function writeCommitGraph(git: Git): Promise<void> {
  await git.run(['commit-graph', 'write', '--reachable', '--changed-paths', '--split', '--no-progress']);
}
