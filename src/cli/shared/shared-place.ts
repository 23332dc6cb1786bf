import { resolve } from 'node:path';
import { ActionableError, DamageError, UsageError } from '../../base/index.ts';
import {
  type Bucket,
  isBucketUrl,
  openBucket,
  openBucketFolder,
  type SeenFolder,
} from '../../bucket/index.ts';
import { type JobQueue, openQueueOf, SHARED_PREFIX, type SharedPlace } from '../../cluster/index.ts';
import { nodeDisk } from '../../disk/index.ts';
import { whoRunsThis } from '../../results/index.ts';
import { hearPendingSignals } from '../signals-unheard.ts';
import type { Terminal } from '../terminal.ts';
import type { BucketFlags, SharedFlags } from './shared-options.ts';

export interface OpenedPlace extends SharedPlace {
  /** How another process opens the bucket. */
  readonly url: string;
  /** The bucket of artifacts that belongs to it, made when something is first sent there. */
  readonly store: Bucket;
}

/** The bucket that is named, or that of the project. A folder must be there, unless what is stored first makes it. */
export async function openShared(
  { bucket }: BucketFlags,
  terminal: Terminal,
  { isNew = false }: { readonly isNew?: boolean } = {},
): Promise<OpenedPlace> {
  await hearPendingSignals();
  // An empty word is a variable that is not set, and not the folder that one stands in.
  if (bucket === undefined || bucket.trim() === '')
    throw new UsageError({
      code: 'E_SHARED_BUCKET',
      message: 'No bucket is named, and shared runs live in one.',
      hint: 'Name it with --bucket s3://…, HOLDFAST_BUCKET, or "bucket" in holdfast.config.',
    });
  const url = bucketUrl(bucket, terminal);
  const opened = await usable(openBucket(url, { disk: nodeDisk, isThere: !isNew }));
  return { bucket: opened, prefix: SHARED_PREFIX, url, store: await openSharedStore(url) };
}

/** How any process of this machine names it. */
export function bucketUrl(bucket: string, { cwd }: Pick<Terminal, 'cwd'>): string {
  return isBucketUrl(bucket) ? bucket.replace(/\/+$/, '') : resolve(cwd, bucket);
}

export function openSharedStore(url: string, seen?: SeenFolder): Promise<Bucket> {
  return openBucketFolder(url, `${SHARED_PREFIX}artifacts`, { disk: nodeDisk, seen });
}

export function openSharedQueue(
  { queue }: SharedFlags,
  place: SharedPlace,
  options: { readonly onProblem?: (error: unknown) => void; readonly mayBeAway?: boolean } = {},
): Promise<JobQueue> {
  if (queue === undefined)
    throw new UsageError({
      code: 'E_QUEUE_MISSING',
      message: 'No queue is named, and workers are handed their samples by one.',
      hint: 'Name it with --queue redis://host, HOLDFAST_QUEUE, or "queue" in holdfast.config.',
    });
  return usable(openQueueOf(place, queue, options));
}

/** What cannot be used when a command begins is named wrong, or not there yet: nothing was done, and the exit code says so. */
async function usable<T>(opening: Promise<T>): Promise<T> {
  try {
    return await opening;
  } catch (error) {
    throw unusable(error);
  }
}

export function unusable(error: unknown): unknown {
  if (!(error instanceof ActionableError) || error instanceof DamageError) return error;
  const { code, message, hint } = error;
  return new UsageError({ code, message, hint, cause: error });
}

/** Who submits, resumes or cancels, for people. */
export function submitterName(): string {
  const { user, host } = whoRunsThis();
  return `${user}@${host}`;
}
