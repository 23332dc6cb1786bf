import { fileURLToPath } from 'node:url';
import { UsageError } from '../base/index.ts';
import type { Disk } from '../disk/index.ts';
import type { Bucket } from './bucket.ts';
import { bucketErrors } from './bucket-errors.ts';
import { bucketFolder } from './bucket-folder.ts';
import { directoryBucket } from './directory-bucket.ts';
import { DirectoryRoot, type SeenFolder } from './directory-root.ts';

/** At least two letters: `C:` is a drive. */
const SCHEME = /^([a-z][a-z0-9+.-]+):\/\//i;

/** True for `s3://…`, `file://…` and the like; false for a plain path. */
export function isBucketUrl(text: string): boolean {
  return SCHEME.test(text);
}

export interface OpenBucketOptions {
  readonly disk: Disk;
  /** Refuses a folder that is not there (E_BUCKET_NONE): whoever only looks for something, or serves, makes no new bucket. */
  readonly isThere?: boolean;
  /** What another process of this machine saw at the place (`seenBucket`): nothing else is believed. */
  readonly seen?: SeenFolder | undefined;
}

/** Opens the bucket that a path or a URL names. Waiting is part of the port: other stores load their client first. */
export async function openBucket(url: string, options: OpenBucketOptions): Promise<Bucket> {
  const folder = folderOfUrl(url);
  if (folder !== undefined) return openDirectory(folder, options);
  const scheme = SCHEME.exec(url)?.[1]?.toLowerCase();
  if (scheme === 's3') {
    // Only who uses one has to have its client.
    const { openS3Bucket } = await import('./s3/s3-bucket.ts');
    return openS3Bucket(url, options);
  }
  throw new UsageError({
    code: 'E_BUCKET_UNSUPPORTED',
    message: `${url} cannot be opened: ${scheme}:// is not supported by this version.`,
    hint: 'Use s3://… (also for other servers that speak S3), or a directory (a path or file://…), which may be a mounted one.',
  });
}

/**
 * A folder of a bucket as one of its own. Of a bucket that is a folder it is no bucket with a folder of its own, which could be made anew while the bucket is away.
 */
export async function openBucketFolder(
  url: string,
  folder: string,
  options: OpenBucketOptions,
): Promise<Bucket> {
  if (folderOfUrl(url) === undefined) return openBucket(`${url}/${folder}`, options);
  return bucketFolder(await openBucket(url, options), folder);
}

/**
 * Stores something in a bucket that is a folder past its port, as a file of that folder: `work` is run there as every call of the port is [BUCKET-11].
 */
export async function storeInFolder<T>(disk: Disk, dir: string, work: () => Promise<T>): Promise<T> {
  const root = DirectoryRoot.of(disk, dir);
  return root.within(async () => {
    await root.make();
    return work();
  });
}

/** What this process has seen of a bucket that is a folder, for another one that opens it. */
export function seenBucket(url: string, { disk }: { readonly disk: Disk }): SeenFolder | undefined {
  const folder = folderOfUrl(url);
  return folder === undefined ? undefined : DirectoryRoot.of(disk, folder).seen;
}

async function openDirectory(dir: string, { disk, isThere, seen }: OpenBucketOptions): Promise<Bucket> {
  const root = DirectoryRoot.of(disk, dir);
  if (seen) root.expect(seen);
  try {
    await root.look();
  } catch {
    // Told by the first call: whoever opens it may wait until it is back.
    return directoryBucket(disk, dir);
  }
  if (isThere && !root.seen) throw bucketErrors.noFolder(dir);
  return directoryBucket(disk, dir);
}

/** The path of a bucket that is a folder. */
function folderOfUrl(url: string): string | undefined {
  const scheme = SCHEME.exec(url)?.[1]?.toLowerCase();
  if (scheme === undefined) return url;
  return scheme === 'file' ? pathOfFileUrl(url) : undefined;
}

function pathOfFileUrl(url: string): string {
  try {
    return fileURLToPath(url);
  } catch (error) {
    throw new UsageError({
      code: 'E_BUCKET_URL',
      message: `${url} is not the URL of a local directory.`,
      hint: 'Write it as file:///path/to/directory, or give the path itself.',
      cause: error,
    });
  }
}
