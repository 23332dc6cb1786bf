import { DamageError, UsageError } from '../base/index.ts';
import { type Disk, sweepTemps } from '../disk/index.ts';
import { createLogFile } from './log-file.ts';
import type { CreatedLog, CreateLogOptions, Verdict } from './log-store.ts';
import { openLog } from './open-log.ts';
import { type VerifyReport, verifyLog } from './verify-log.ts';

/** What the two kinds of store do differently. */
export interface LogPlace {
  readonly disk: Disk;
  readonly place: string;
  /** Where the log is written first, on this machine. */
  readonly tempPath: string;
  readonly tempDir: string;
  /** True when somebody else makes the directory: where it is gone nothing is written. */
  readonly isKept?: boolean;
  isThere(): Promise<boolean>;
  /** Gives the file its name. Without `replace` it never overwrites: false when there is something of that name. */
  commit(replace: boolean): Promise<boolean>;
  /** Keeps the file as `<name>.damaged`, in place of an earlier one; gives its place. */
  setAside(): Promise<string>;
}

/** What is made, in whatever form: a way to fill a file that is not there yet. */
export interface Making<T> extends Pick<CreateLogOptions<T>, 'judge' | 'replace'> {
  readonly fill: (disk: Disk, path: string) => Promise<{ readonly written: T; readonly sizeBytes: number }>;
}

/**
 * The one way in which a log comes to be.
 *
 * ### Ordering
 * 1. orphans of dead processes are swept, 2. the log is written under a temporary name, and synced, 3. it is read back
 * from end to end and judged, 4. it gets its name, 5. the name is synced. A crash before 4 leaves an orphan for the next 1,
 * a crash after 4 leaves the log. A failure leaves nothing.
 */
export async function makeLog<T>(target: LogPlace, making: Making<T>): Promise<CreatedLog<T>> {
  const { disk, tempPath, place } = target;
  const { judge = refuseProblems, replace = false } = making;
  if (!target.isKept) await disk.makeDir(target.tempDir);
  await sweepTemps(disk, target.tempDir);
  if (!replace && (await target.isThere())) return { outcome: 'exists', place };
  try {
    const { written, sizeBytes } = await making.fill(disk, tempPath);
    const report = { ...(await verifyLog(disk, tempPath)), path: place };
    const verdict = await judge(report, written, () => openLog(disk, tempPath));
    if (verdict === 'set aside')
      return { outcome: 'set aside', place: await target.setAside(), sizeBytes, written, report };
    if (!(await target.commit(replace))) return { outcome: 'exists', place };
    return { outcome: 'created', place, sizeBytes, written, report };
  } finally {
    await removeOrphan(disk, tempPath);
  }
}

async function removeOrphan(disk: Disk, path: string): Promise<void> {
  try {
    await disk.remove(path);
  } catch {
    // The first failure is the one to tell, and the next `create` sweeps what is left.
  }
}

/** Fills a `.eval` through `write`. */
export function filling<T>({
  write,
  method,
}: Pick<CreateLogOptions<T>, 'write' | 'method'>): Making<T>['fill'] {
  return async (disk, path) => {
    const file = await createLogFile(disk, path, method === undefined ? {} : { method });
    try {
      const written = await write(file);
      return { written, ...(await file.finish()) };
    } catch (error) {
      await file.abandon();
      throw error;
    }
  };
}

/** [STORE-1] A store has no folders, and what is in it says by its ending what it is. */
export function checkLogName(name: string): void {
  if (name === '' || /[/\\\0]/.test(name) || name.startsWith('.')) {
    throw new UsageError({
      code: 'E_LOG_NAME',
      message: `${JSON.stringify(name)} cannot be the name of a log.`,
      hint: 'Use a file name without folders that does not begin with a dot, such as "results.eval".',
    });
  }
  if (!/\.(eval|json)$/.test(name)) {
    throw new UsageError({
      code: 'E_LOG_FORM',
      message: `${name} ends neither in .eval nor in .json, so its form is unknown.`,
      hint: 'Choose a name that ends in .eval or .json.',
    });
  }
}

function refuseProblems({ path, problems }: VerifyReport): Verdict {
  const [first] = problems;
  if (first === undefined) return 'commit';
  throw new DamageError({
    code: 'E_LOG_NOT_WHOLE',
    message: `The new log ${path} did not read back as it should (${first.member}: ${first.message})${problems.length > 1 ? `, and has ${problems.length - 1} more problems` : ''}.`,
    hint: 'It was not kept, and what it was made from is untouched. Check the disk, then run the same command again.',
  });
}
