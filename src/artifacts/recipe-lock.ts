import { dirname, join } from 'node:path';
import { z } from 'zod';
import { type Clock, tryParseJson } from '../base/index.ts';
import { createFile, type Disk, locksOf, replaceFile } from '../disk/index.ts';
import { holderPath, lockPath } from './layout.ts';
import { type UnitRecipe, unitText } from './recipe.ts';

/** What somebody waits for. */
export interface Waiting {
  /** `<kind>/<key>` */
  readonly unit: string;
  /** The process that has the lock, as far as that is known. */
  readonly pid: number | undefined;
  /** For how long that process has had it, as far as that is known. */
  readonly sinceMs: number | undefined;
}

export interface LockPlace {
  readonly disk: Disk;
  readonly clock: Clock;
  readonly cacheDir: string;
}

export interface LockOptions {
  readonly onWait?: ((waiting: Waiting) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

const POLL_MS_MIN = 10;
const POLL_MS_MAX = 200;
const SAY_EVERY_MS = 1_000;

/**
 * The lock of a recipe: whoever builds, installs, sets aside or removes a generation of it has it [ART-10]. It belongs to the
 * process, so it goes with it, whatever kills it. Waiting is asking again; `onWait` is told at once and then every second.
 */
export async function lockRecipe(
  place: LockPlace,
  unit: UnitRecipe,
  options: LockOptions = {},
): Promise<Disposable> {
  const { clock } = place;
  const { onWait, signal } = options;
  let pauseMs = POLL_MS_MIN;
  let sayAtMs = clock.monotonicMs();
  for (;;) {
    signal?.throwIfAborted();
    const lock = await tryLockRecipe(place, unit);
    if (lock) return lock;
    if (onWait && clock.monotonicMs() >= sayAtMs) {
      onWait({ unit: unitText(unit), ...(await readHolder(place, unit)) });
      sayAtMs = clock.monotonicMs() + SAY_EVERY_MS;
    }
    await clock.sleep(pauseMs, signal);
    pauseMs = Math.min(pauseMs * 2, POLL_MS_MAX);
  }
}

/** Undefined when somebody else has it, in this process or in another. */
export async function tryLockRecipe(
  place: LockPlace,
  { recipe }: UnitRecipe,
): Promise<Disposable | undefined> {
  const path = lockPath(place.cacheDir, recipe);
  await place.disk.makeDir(dirname(path));
  await hideFromGit(place);
  return locksOf(place.disk).take(path);
}

/** A cache lies in a repository and is no part of it. Whoever wants it otherwise changes the file: it is made once. */
async function hideFromGit({ disk, cacheDir }: LockPlace): Promise<void> {
  const path = join(cacheDir, '.gitignore');
  if (!(await disk.stat(path))) await createFile(disk, path, Buffer.from('*\n'));
}

/** Tells those who wait who it is that builds. Only the holder of the lock calls it; what the one before left is replaced. */
export async function tellHolder(
  { disk, clock, cacheDir }: LockPlace,
  { recipe }: UnitRecipe,
): Promise<void> {
  const holder = JSON.stringify({ pid: process.pid, sinceMs: clock.nowMs() });
  await replaceFile(disk, holderPath(cacheDir, recipe), Buffer.from(holder));
}

export async function forgetHolder({ disk, cacheDir }: LockPlace, { recipe }: UnitRecipe): Promise<void> {
  await disk.remove(holderPath(cacheDir, recipe));
}

const holderSchema = z.object({ pid: z.int(), sinceMs: z.number() });

async function readHolder(
  { disk, clock, cacheDir }: LockPlace,
  { recipe }: UnitRecipe,
): Promise<{ readonly pid: number | undefined; readonly sinceMs: number | undefined }> {
  const bytes = await disk.read(holderPath(cacheDir, recipe));
  const holder = holderSchema.safeParse(bytes && tryParseJson(bytes));
  if (!holder.success) return { pid: undefined, sinceMs: undefined };
  return { pid: holder.data.pid, sinceMs: Math.max(0, clock.nowMs() - holder.data.sinceMs) };
}
