import { basename, dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { UsageError } from '../../base/index.ts';
import { isBucketUrl, openBucket } from '../../bucket/index.ts';
import { nodeDisk } from '../../disk/index.ts';
import {
  bucketLogStore,
  directoryLogStore,
  type LogReader,
  type LogStore,
  logTree,
  openFrom,
  openLog,
  type ReadableLogs,
  type VerifyReport,
  verifyIn,
  verifyLog,
} from '../../log/index.ts';

/** One log, wherever it is. */
export interface LogPlace {
  readonly logs: LogStore;
  readonly name: string;
  /** How people name it. */
  readonly place: string;
}

/** A log as it is named on the command line: by a path, or by the URL of a bucket and the log in it. */
export async function logPlaceOf(given: string, cwd: string): Promise<LogPlace> {
  // In the URL of a file some letters are written otherwise than in its path.
  const path = isFileUrl(given) ? directoryOf(given, cwd) : given;
  const slash = path.lastIndexOf('/');
  const isElsewhere = isBucketUrl(path);
  const full = isElsewhere ? path : resolve(cwd, path);
  const folder = isElsewhere ? path.slice(0, slash) : dirname(full);
  const logs = isBucketUrl(given)
    ? bucketLogStore(await openBucket(folder, { disk: nodeDisk }), '', { disk: nodeDisk })
    : await logStoreOf(folder, cwd);
  return { logs, name: isElsewhere ? path.slice(slash + 1) : basename(full), place: full };
}

/** The logs of a directory or a bucket. */
export async function logStoreOf(given: string, cwd: string): Promise<LogStore> {
  if (!isBucketUrl(given)) return directoryLogStore(nodeDisk, resolve(cwd, given));
  return bucketLogStore(await openBucket(given, { disk: nodeDisk }), '', { disk: nodeDisk });
}

/** The logs of a directory and of all folders in it, or of a bucket, to be read. */
export async function readableLogsOf(given: string, cwd: string): Promise<ReadableLogs> {
  return isBucketUrl(given) ? logStoreOf(given, cwd) : logTree(nodeDisk, resolve(cwd, given));
}

/** Opens a log to read it. A file on this machine may have any name. */
export async function openNamedLog(given: string, cwd: string): Promise<LogReader> {
  if (!isBucketUrl(given)) return openLog(nodeDisk, resolve(cwd, given));
  const { logs, name } = await logPlaceOf(given, cwd);
  return openFrom(logs, name);
}

export async function verifyNamedLog(given: string, cwd: string): Promise<VerifyReport> {
  if (!isBucketUrl(given)) return verifyLog(nodeDisk, resolve(cwd, given));
  const { logs, name } = await logPlaceOf(given, cwd);
  return verifyIn(logs, name);
}

/** The directory of this machine that a path or the URL of a directory names. */
export function directoryOf(given: string, cwd: string): string {
  if (!isFileUrl(given)) return resolve(cwd, given);
  try {
    return fileURLToPath(given);
  } catch (error) {
    throw new UsageError({
      code: 'E_BUCKET_URL',
      message: `${given} is not the URL of a local directory.`,
      hint: 'Write it as file:///path/to/directory, or give the path itself.',
      cause: error,
    });
  }
}

/** What a log lies in, named as the log is. */
export function folderOf(given: string): string {
  return isBucketUrl(given) ? given.slice(0, given.lastIndexOf('/')) : dirname(given);
}

export function isFileUrl(text: string): boolean {
  return /^file:/i.test(text);
}

/** Refuses a log directory that is not there; a bucket that is no directory is always there. */
export async function checkLogDir(given: string, cwd: string, command: string): Promise<void> {
  if (isBucketUrl(given) && !isFileUrl(given)) return;
  if ((await nodeDisk.stat(directoryOf(given, cwd)))?.kind === 'directory') return;
  throw new UsageError({
    code: 'E_LOG_DIR_NONE',
    message: `There is no directory ${given}.`,
    hint: `Name a directory of logs: ${command} <dir>.`,
  });
}
