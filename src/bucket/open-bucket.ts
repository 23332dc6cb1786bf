import { fileURLToPath } from 'node:url';
import { UsageError } from '../base/index.ts';
import type { Disk } from '../disk/index.ts';
import type { Bucket } from './bucket.ts';
import { directoryBucket } from './directory-bucket.ts';

/** At least two letters: `C:` is a drive. */
const SCHEME = /^([a-z][a-z0-9+.-]+):\/\//i;

/** True for `s3://…`, `file://…` and the like; false for a plain path. */
export function isBucketUrl(text: string): boolean {
  return SCHEME.test(text);
}

/** Opens the bucket that a path or a URL names. Waiting is part of the port: other stores load their client first. */
export async function openBucket(url: string, options: { readonly disk: Disk }): Promise<Bucket> {
  const scheme = SCHEME.exec(url)?.[1]?.toLowerCase();
  if (scheme === undefined) return directoryBucket(options.disk, url);
  if (scheme === 'file') return directoryBucket(options.disk, pathOfFileUrl(url));
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
