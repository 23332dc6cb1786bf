import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { asSentence, definedOf, digestOf, errnoOf, messageOf, UsageError } from '../base/index.ts';
import { isBucketUrl, openBucket, storeInFolder } from '../bucket/index.ts';
import { type Disk, tempPathFor } from '../disk/index.ts';
import { STATE_FOLDER, StateDir } from '../journal/index.ts';
import { directoryLogStore } from '../log/index.ts';
import type { Places } from './places.ts';

export interface PlacesInput {
  /** A path, or the URL of a bucket. */
  readonly logDir: string;
  /** Another bucket for segments. */
  readonly segments?: string | undefined;
  /** Where relative paths start, and where the state goes when the logs are in a bucket. */
  readonly workDir: string;
}

/**
 * Decides where a run keeps its things, and makes sure that it can before anything runs. A plain log directory holds its
 * own state; with a bucket the state is local and the segments are shipped to the bucket.
 */
export async function openPlaces(disk: Disk, input: PlacesInput): Promise<Places> {
  const places = await placesOf(disk, input);
  for (const dir of new Set([places.logDir, dirname(places.state.path)])) await checkWritable(disk, dir);
  return places;
}

/** The same decision without a look at the disk, for those who only read there. */
export async function placesOf(disk: Disk, input: PlacesInput): Promise<Places> {
  const { workDir } = input;
  const isBucket = isBucketUrl(input.logDir);
  const segmentsUrl = input.segments ?? (isBucket ? input.logDir : undefined);
  const segments =
    segmentsUrl === undefined
      ? undefined
      : { bucket: await openBucket(bucketPlace(segmentsUrl, workDir), { disk }), prefix: `${STATE_FOLDER}/` };
  const logDir = isBucket ? localDirOf(input.logDir, workDir) : resolve(workDir, input.logDir);
  const state = isBucket ? new StateDir(join(workDir, STATE_FOLDER)) : StateDir.of(logDir);
  // The folder of a bucket is not made anew: it may be a share that is not mounted any more.
  const keeping = <T>(work: () => Promise<T>) => storeInFolder(disk, logDir, work);
  const isKept = isBucket && isFileUrl(input.logDir);
  return { logs: directoryLogStore(disk, logDir, isKept ? { keeping } : {}), logDir, state, segments };
}

/**
 * The URL of a directory has a path. Of any other bucket the logs lie here as well: a log is made here, goes there, and is compared byte by byte; those that
 * came from there are not read over the network again.
 */
function localDirOf(url: string, workDir: string): string {
  if (isFileUrl(url)) return fileURLToPath(url);
  return join(workDir, STATE_FOLDER, 'bucket-logs', digestOf(url.replace(/\/+$/, '')).slice(0, 16));
}

function isFileUrl(url: string): boolean {
  return /^file:/i.test(url);
}

function bucketPlace(url: string, workDir: string): string {
  return isBucketUrl(url) ? url : resolve(workDir, url);
}

/** Writes and removes a file in the directory, or where it would be made. Leaves nothing behind. */
export async function checkWritable(disk: Disk, dir: string): Promise<void> {
  const place = await nearestDirectory(disk, dir);
  const probe = tempPathFor(join(place, 'holdfast-probe'));
  try {
    const file = await disk.open(probe, 'create');
    await file.close();
    await disk.remove(probe);
  } catch (error) {
    throw notWritable(dir, messageOf(error), error);
  }
}

async function nearestDirectory(disk: Disk, dir: string): Promise<string> {
  for (let at = resolve(dir); ; at = dirname(at)) {
    const stat = await statOf(disk, at, dir);
    if (stat?.kind === 'directory') return at;
    if (stat) throw notWritable(dir, `${at} is not a directory`);
    if (at === dirname(at)) throw notWritable(dir, 'no directory above it exists');
  }
}

async function statOf(disk: Disk, path: string, dir: string) {
  try {
    return await disk.stat(path);
  } catch (error) {
    // A file where a directory should be: the loop meets it one step further up.
    if (errnoOf(error) === 'ENOTDIR') return undefined;
    throw notWritable(dir, messageOf(error), error);
  }
}

function notWritable(dir: string, reason: string, cause?: unknown): UsageError {
  return new UsageError({
    code: 'E_LOG_DIR',
    message: `The log directory ${dir} cannot be written: ${asSentence(reason)}`,
    hint: 'Correct it, or name another one with --log-dir.',
    ...definedOf({ cause }),
  });
}
