import { isAbsolute, join, relative } from 'node:path';
import { type Bucket, isBucketUrl } from '../bucket/index.ts';

/** Where a run keeps its things. */
export interface Places {
  /** Finished logs. */
  readonly logDir: string;
  /** Journals, one directory a run, and the workspaces of samples. */
  readonly stateDir: string;
  /** Where segments go, if anywhere. */
  readonly segments?: SegmentPlace;
}

export interface SegmentPlace {
  readonly bucket: Bucket;
  readonly prefix: string;
}

/** Below the log directory, hidden from tools that look for logs there. */
export const STATE_FOLDER = '.holdfast';

/** Below the state directory: the accounts of all runs. */
export const ACCOUNTS_FOLDER = 'accounts';

export function stateDirOf(logDir: string): string {
  return join(logDir, STATE_FOLDER);
}

export function journalDirOf(places: Places, runId: string): string {
  return join(places.stateDir, runId);
}

/** Evidence of a run: what its agents wrote. It stays when the journal goes. */
export function workDirOf(places: Places, runId: string): string {
  return join(places.stateDir, 'work', runId);
}

/** How a journal names another log: relative to the log directory, so that the directory may be moved. */
export function storedLogName(places: Places, path: string): string {
  const name = relative(places.logDir, path);
  return name.startsWith('..') || isAbsolute(name) ? path : name;
}

export function resolveStoredLog(places: Places, name: string): string {
  return isAbsolute(name) || isBucketUrl(name) ? name : join(places.logDir, name);
}
