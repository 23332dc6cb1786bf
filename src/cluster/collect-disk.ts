import { dirname, join } from 'node:path';
import { ActionableError } from '../base/index.ts';
import { type Disk, sweepTemps, tempPathFor } from '../disk/index.ts';
import {
  isShipped,
  journalPath,
  lookAtWriters,
  readJournal,
  runIdsIn,
  type StateDir,
  writerLiveness,
  writersIn,
} from '../journal/index.ts';

interface DiskOfWorker {
  readonly disk: Disk;
  /** Where a worker keeps journals, and what agents wrote. */
  readonly state: StateDir;
  /** Sends what a dead writer had not sent; true when the bucket has all of it. */
  readonly ship?: ((about: WriterOfRun) => Promise<boolean>) | undefined;
}

export interface CollectDiskOptions extends DiskOfWorker {
  /** Runs that may have something due: what lies here of them is read by who goes on with them. */
  readonly active: ReadonlySet<string>;
  readonly nowMs: number;
}

interface WriterOfRun {
  readonly run: string;
  readonly writer: string;
}

/** How many folders went. */
export interface CollectedDisk {
  readonly journals: number;
  readonly work: number;
}

/** What somebody may just have begun to write is younger. */
const OLD_MS = 86_400_000;

/**
 * Sends what writers that are dead had not sent, and removes from the disk of a worker what it needs no more: of runs of which nothing is due, journals that nobody writes and of which the bucket
 * has every row, and folders of attempts that are a day old. What is not shipped stays, whatever became of its run.
 *
 * ### Ordering
 * A journal gets a temporary name before its files go: a death in between leaves what `sweepTemps` removes, and never half a journal.
 */
export async function collectDisk(options: CollectDiskOptions): Promise<CollectedDisk> {
  const { disk, state, active } = options;
  let [journals, work] = [0, 0];
  for (const run of await runIdsIn(disk, state.path)) {
    for (const { dir, path, writer } of await writersIn(disk, state.runDir(run))) {
      const isThere = isDone(path) || (await trySend({ run, writer }, options));
      if (!isThere || active.has(run)) continue;
      await removeJournal(disk, dir);
      journals++;
    }
    await sweepTemps(disk, state.runDir(run));
  }
  // What processes that were killed had put together of segments.
  await sweepTemps(disk, state.path);
  const folder = state.workDir('');
  for (const { name, kind } of (await disk.list(folder)) ?? [])
    if (kind === 'directory' && !active.has(name) && (await isQuiet(name, options)))
      work += await removeOld(join(folder, name), options);
  return { journals, work };
}

/**
 * Removes the journal of a writer whose process is gone for good, also of a run that has something due: whoever goes on with its job
 * reads what the bucket has. False when the journal stays, because the bucket does not have all of it.
 */
export async function letWriterGo(about: WriterOfRun, options: DiskOfWorker): Promise<boolean> {
  const path = journalPath(options.state.runDir(about.run), about.writer);
  if (!isDone(path) && !(await trySend(about, options))) return false;
  await removeJournal(options.disk, dirname(path));
  return true;
}

async function removeJournal(disk: Disk, dir: string): Promise<void> {
  const temp = tempPathFor(dir);
  await disk.rename(dir, temp);
  await disk.removeTree(temp);
}

/** A worker of this machine that has another bucket may be at work on it. */
async function isQuiet(run: string, { disk, state }: CollectDiskOptions): Promise<boolean> {
  const writers = await lookAtWriters(disk, state.runDir(run));
  return writers.every(({ liveness }) => liveness === 'dead');
}

function isDone(path: string): boolean {
  try {
    const reader = readJournal(path);
    try {
      return writerLiveness(reader) === 'dead' && isShipped(reader);
    } finally {
      reader.close();
    }
  } catch (error) {
    if (!(error instanceof ActionableError)) throw error;
    return false; // What cannot be read stays: somebody may still save something of it.
  }
}

async function trySend(about: WriterOfRun, { ship }: DiskOfWorker): Promise<boolean> {
  try {
    return (await ship?.(about)) ?? false;
  } catch (error) {
    if (error instanceof ActionableError && !error.retryable) return false; // As above.
    throw error;
  }
}

async function removeOld(dir: string, { disk, nowMs }: CollectDiskOptions): Promise<number> {
  let removed = 0;
  for (const { name } of (await disk.list(dir)) ?? []) {
    const path = join(dir, name);
    const stat = await disk.stat(path);
    if (!stat || nowMs - stat.modifiedMs < OLD_MS) continue;
    await (stat.kind === 'directory' ? disk.removeTree(path) : disk.remove(path));
    removed++;
  }
  return removed;
}
