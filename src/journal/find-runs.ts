import {
  ActionableError,
  type Clock,
  type ErrorCode,
  isRunId,
  messageOf,
  type RunId,
} from '../base/index.ts';
import { type Disk, identityOfFile, isLocked, type Liveness, sizeOfFile, tryLock } from '../disk/index.ts';
import { fullestOf } from './brief-run-record.ts';
import type { JournalReader } from './journal-reader.ts';
import { lossWith } from './known-beside.ts';
import { besideJournal, runLockPath } from './layout.ts';
import { openUnchecked, readJournal } from './read-journal.ts';
import { readWriters } from './read-writers.ts';
import type { LostRows, RunRecord } from './records.ts';
import { livenessOfRun, writerLiveness } from './writer-liveness.ts';
import { type WriterPlace, writersIn } from './writers-in.ts';

export interface FoundWriter {
  readonly writer: string;
  readonly liveness: Liveness;
}

export interface FoundRun {
  readonly dir: string;
  readonly run: RunRecord;
  /** Over all writers that are not fenced, and whoever holds the run itself. */
  readonly liveness: Liveness;
  readonly writers: readonly FoundWriter[];
  /** True when it was begun without anything of other runs, and the last who worked on it did not say good-bye. */
  readonly isFreshAndKilled: boolean;
}

export interface UnreadableRun {
  readonly dir: string;
  readonly path: string;
  /** Why it could not be read: unreadable is not absent. */
  readonly reason: string;
  readonly code: ErrorCode;
  /** What was acknowledged in it, as far as its mark can be read [JRN-11]; absent when nothing was. */
  readonly lost?: LostRows;
}

/** Every run below a state directory, oldest first, with whether anybody is alive who works on it. */
export async function findRuns(
  disk: Disk,
  stateDir: string,
): Promise<{ readonly found: readonly FoundRun[]; readonly unreadable: readonly UnreadableRun[] }> {
  const found: FoundRun[] = [];
  const unreadable: UnreadableRun[] = [];
  for (const runId of await runIdsIn(disk, stateDir)) {
    const { run, unread } = await findRunIn(disk, `${stateDir}/${runId}`);
    if (run) found.push(run);
    else unreadable.push(...unread);
  }
  return { found, unreadable };
}

/** The runs that have journals below a state directory, oldest first, by the names of their folders alone. */
export async function runIdsIn(disk: Disk, stateDir: string): Promise<readonly RunId[]> {
  const entries = (await disk.list(stateDir)) ?? [];
  return entries.flatMap(({ name, kind }) => (kind === 'directory' && isRunId(name) ? [name] : []));
}

/** One run by its folder. Neither a run nor anything unreadable when it was let go. */
export async function findRunIn(
  disk: Disk,
  dir: string,
): Promise<{ readonly run?: FoundRun; readonly unread: readonly UnreadableRun[] }> {
  const looked = await lookAtAll(disk, dir);
  const seen = looked.filter((look) => 'run' in look);
  const record = fullestOf(seen.map((look) => look.run));
  if (!record) return { unread: looked.filter((look) => 'reason' in look) };
  const isHeld = isLocked(runLockPath(dir));
  const run: FoundRun = {
    dir,
    run: record,
    liveness: isHeld ? 'alive' : livenessOfRun(seen),
    writers: seen.map(({ writer, liveness }) => ({ writer, liveness })),
    isFreshAndKilled: isFreshAndKilled(seen),
  };
  return { run, unread: [] };
}

/** The writers of one run, as far as they can be read, with whether each is alive. */
export async function lookAtWriters(disk: Disk, dir: string): Promise<readonly FoundWriter[]> {
  const looked = await lookAtAll(disk, dir);
  return looked.filter((look) => 'run' in look);
}

interface Look extends FoundWriter {
  readonly run: RunRecord;
  readonly after: readonly string[];
  readonly generation: number;
  readonly isFresh: boolean;
  readonly saidGoodbye: boolean;
}

function isFreshAndKilled(looks: readonly Look[]): boolean {
  const last = looks.reduce((one, other) => (other.generation > one.generation ? other : one));
  return looks.some(({ generation, isFresh }) => generation <= 1 && isFresh) && !last.saidGoodbye;
}

/** Nothing of a run that was let go while it was looked at: its log is in place by now. */
async function lookAtAll(disk: Disk, dir: string): Promise<readonly (Look | UnreadableRun)[]> {
  const places = await writersIn(disk, dir);
  const looked = places.map((place) => lookAt(dir, place));
  const isLetGo = looked.some((look) => 'code' in look) && identityOfFile(dir) === undefined;
  if (isLetGo) return [];
  const isAnyLost = looked.some((look) => 'code' in look && look.code !== 'E_JOURNAL_EMPTY');
  return isAnyLost ? lookTogether(places, looked) : looked;
}

function lookAt(dir: string, { path }: WriterPlace): Look | UnreadableRun {
  try {
    return describe(openUnchecked(path), 'close');
  } catch (error) {
    if (!(error instanceof ActionableError)) throw error;
    return lookCloser(dir, path);
  }
}

/** What a quick look cannot read may still be saved: by what lies beside it, also when its database is gone. */
function lookCloser(dir: string, path: string): Look | UnreadableRun {
  try {
    return describe(readJournal(path), 'close');
  } catch (error) {
    if (!(error instanceof ActionableError)) throw error;
    const lost = lossWith(path);
    return { dir, path, reason: messageOf(error), code: error.code, ...(lost ? { lost } : {}) };
  }
}

/** One whose records are gone is told by the other writers, and when nobody has any, by its rows alone. */
function lookTogether(
  places: readonly WriterPlace[],
  looked: readonly (Look | UnreadableRun)[],
): readonly (Look | UnreadableRun)[] {
  const readers = new Map<string, JournalReader>();
  try {
    readWriters(places, readers);
    if (readers.size === 0) return looked;
    return places.flatMap(({ path }) => readers.get(path) ?? []).map((reader) => describe(reader));
  } finally {
    for (const reader of readers.values()) reader.close();
  }
}

function describe(reader: JournalReader, end?: 'close'): Look {
  try {
    const { writer, after, generation, reuse } = reader.writer();
    return {
      generation,
      isFresh: reuse === 'none',
      saidGoodbye: reader.ending() !== undefined,
      run: reader.run(),
      writer,
      after,
      liveness: writerLiveness(reader),
    };
  } finally {
    if (end === 'close') reader.close();
  }
}

/** A process needs far less than this from making its directory to its first transaction. */
const SHELL_AGE_MS = 60_000;

/**
 * Removes what processes left that died while their journals were being born: runs in which no journal names a run. Nobody
 * may be at work there, and it must not be young. It is locked and looked at again first: nobody begins there meanwhile.
 */
export async function sweepShells(disk: Disk, stateDir: string, clock: Clock): Promise<void> {
  for (const { name, kind } of (await disk.list(stateDir)) ?? []) {
    const dir = `${stateDir}/${name}`;
    if (kind !== 'directory' || !isRunId(name)) continue;
    const stat = await disk.stat(dir);
    const isYoung = stat === undefined || clock.nowMs() - stat.modifiedMs < SHELL_AGE_MS;
    if (isYoung || isLocked(runLockPath(dir)) || !(await isShell(disk, dir))) continue;
    using lock = tryLock(runLockPath(dir));
    if (lock && (await isShell(disk, dir))) await disk.removeTree(dir);
  }
}

async function isShell(disk: Disk, dir: string): Promise<boolean> {
  const writers = await writersIn(disk, dir);
  if (writers.some(isBegun)) return false;
  return writers.every((place) => {
    const look = lookAt(dir, place);
    return 'code' in look && look.code === 'E_JOURNAL_EMPTY';
  });
}

/** Tells nearly every journal that is none of these without opening it. */
function isBegun({ path }: WriterPlace): boolean {
  return (sizeOfFile(path) ?? 0) > 0 && (sizeOfFile(besideJournal(path).record) ?? 0) > 0;
}
