import { join } from 'node:path';
import { tryLock } from '../disk/index.ts';
import { countPacks, noPrefetch, repackByGeometry, writeCommitGraph } from '../git/index.ts';
import type { ResultsPorts } from './change-results.ts';

/** Every publication is a pack of its own; so many of them are put together. */
export const PACKS_MAX = 24;

/** Whether the repository has become slow enough to be worth some work. */
export async function needsUpkeep({ git, prefetch }: ResultsPorts): Promise<boolean> {
  // Objects of a partial clone must not be packed with those that only it has, and older versions of git do just that.
  return prefetch === noPrefetch && (await countPacks(git)) > PACKS_MAX;
}

export interface Upkept {
  readonly outcome: 'done' | 'not needed' | 'busy';
  readonly packsBefore: number;
  readonly packs: number;
}

/**
 * Keeps the repository fast. One process at a time does so, and nobody waits for it: publishing and reading go on meanwhile. Whatever kills it
 * leaves objects twice at worst, which the next one puts in order.
 */
export async function keepUp(ports: ResultsPorts): Promise<Upkept> {
  const { git } = ports;
  const packsBefore = await countPacks(git);
  if (!(await needsUpkeep(ports))) return { outcome: 'not needed', packsBefore, packs: packsBefore };
  const dir = join(git.dir, 'holdfast');
  await git.disk.makeDir(dir);
  using lock = tryLock(join(dir, 'upkeep.lock'));
  if (!lock) return { outcome: 'busy', packsBefore, packs: packsBefore };
  await repackByGeometry(git);
  await writeCommitGraph(git);
  return { outcome: 'done', packsBefore, packs: await countPacks(git) };
}
