import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { UsageError } from '../../base/index.ts';
import { isBucketUrl, openBucket } from '../../bucket/index.ts';
import { nodeDisk, tempPathFor } from '../../disk/index.ts';
import { folderOf, isFileUrl } from './log-place.ts';

/** Whether a log is named that lies on no disk of this machine. */
export function isElsewhere(given: string): boolean {
  return isBucketUrl(given) && !isFileUrl(given);
}

/** A folder of this machine for what lies in a bucket. It goes with all that is in it. */
export async function scratchFolder(): Promise<{ readonly path: string } & AsyncDisposable> {
  const path = tempPathFor(join(tmpdir(), 'holdfast-copy'));
  await nodeDisk.makeDir(path);
  return { path, [Symbol.asyncDispose]: () => nodeDisk.removeTree(path) };
}

/** Fetches a log of a bucket; gives where it lies now. */
export async function fetchLog(url: string, folder: string): Promise<string> {
  const bucket = await openBucket(folderOf(url), { disk: nodeDisk });
  const path = join(folder, basename(url));
  if (await bucket.download(basename(url), path)) return path;
  throw new UsageError({
    code: 'E_LOG_NOT_FOUND',
    message: `There is no log at ${url}.`,
    hint: `See which there are: holdfast log list ${folderOf(url)}`,
  });
}

/** Puts a log into a bucket, in place of one that is there if that was asked for. */
export async function putLog(
  path: string,
  url: string,
  { replace }: { readonly replace: boolean },
): Promise<void> {
  const bucket = await openBucket(folderOf(url), { disk: nodeDisk });
  const name = basename(url);
  if (await bucket.createFromFile(name, path)) return;
  if (!replace)
    throw new UsageError({
      code: 'E_FILE_EXISTS',
      message: `${url} exists already.`,
      hint: 'Name another file, or replace it with --force.',
    });
  await bucket.remove(name);
  await bucket.createFromFile(name, path);
}
