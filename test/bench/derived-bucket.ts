import { isoTime } from '../../src/base/index.ts';
import type { Bucket } from '../../src/bucket/index.ts';
import { type JobId, SHARED_VERSION, type Submission, sampleJob } from '../../src/cluster/index.ts';
import { beatKey, beatPrefix, parseJob, parseLeaseKey, SharedKeys } from '../../src/cluster/shared-keys.ts';
import { NO_WORK } from '../sim/submitted-work.ts';

export const PREFIX = '';
const RUN = 'many';
const GROUP_SIZE = 1_000;
const AT = isoTime(Date.UTC(2026, 10, 18));

export interface DerivedRun {
  readonly samples: number;
  readonly workers: number;
}

/**
 * A bucket in which leases and signs of life are not stored but made up when they are asked for, so that a run of any size weighs
 * nothing; all else is `stored`. Each worker has one of the last samples in hand, and all before those are completed.
 */
export function derivedBucket(run: DerivedRun, stored: Bucket): Bucket {
  const keys = new SharedKeys(PREFIX, RUN);
  const beats = beatPrefix(PREFIX);
  return {
    ...stored,
    async *list(folder, options) {
      if (folder === keys.leases) yield* leaseKeys(run, keys);
      else if (folder === beats) yield* beatKeys(run);
      else yield* stored.list(folder, options);
    },
    async read(key, signal) {
      if (key.startsWith(keys.leases)) return leaseAt(key, run);
      return key.startsWith(beats) ? beatAt(key, run) : stored.read(key, signal);
    },
    async stat(key, signal) {
      return key.startsWith(beats) ? { sizeBytes: 1, modifiedMs: Date.now() } : stored.stat(key, signal);
    },
  };
}

export function submissionOf(samples: number): Submission {
  const identity = { eval: RUN, targetName: 'none' };
  return {
    ...{ format: 'holdfast-submission', version: SHARED_VERSION, run: RUN, at: AT, by: 'bench' },
    // There are no journals: of the run record only the names are read.
    record: Object.assign(Object.create(null), { identity }),
    ...{ work: NO_WORK, samples, lent: '', builds: [], lostMax: 3 },
  };
}

function* leaseKeys({ samples, workers }: DerivedRun, keys: SharedKeys) {
  for (let from = 0; from < samples; from += GROUP_SIZE) {
    const names: string[] = [];
    for (let position = from; position < Math.min(samples, from + GROUP_SIZE); position++) {
      const job = sampleJob(position);
      names.push(keys.begun(job, 1));
      if (position < samples - workers) names.push(keys.ended(job, 1));
    }
    for (const key of names.sort()) yield { key, sizeBytes: 1 };
  }
}

function* beatKeys({ workers }: DerivedRun) {
  for (let n = 0; n < workers; n++) yield { key: beatKey(PREFIX, nameOf(n)), sizeBytes: 1 };
}

function leaseAt(key: string, { workers }: DerivedRun): Uint8Array | undefined {
  const named = parseLeaseKey(key);
  if (!named) return undefined;
  const { job, n, part } = named;
  const worker = nameOf(positionOf(job) % workers);
  const about = { version: SHARED_VERSION, run: RUN, job, n, round: 1 };
  const record =
    part === 'begun'
      ? { format: 'holdfast-lease', ...about, worker, writer: `w-${worker}`, at: AT }
      : {
          ...{ format: 'holdfast-lease-end', ...about, status: 'completed', by: worker, at: AT },
          ...{ origin: `w-${worker}-${job}`, usd: 0.01 },
        };
  return Buffer.from(`${JSON.stringify(record)}\n`);
}

function beatAt(key: string, { samples, workers }: DerivedRun): Uint8Array {
  const worker = key.slice(beatPrefix(PREFIX).length);
  // The last samples, one for each: the remainder says whose.
  const own = Number(worker.slice('worker-'.length));
  const first = samples - workers;
  const job = sampleJob(first + ((own - (first % workers) + workers) % workers));
  const busy = [{ run: RUN, job, n: 1, since: AT }];
  const about = { format: 'holdfast-beat', version: SHARED_VERSION, worker, n: 1, at: AT };
  return Buffer.from(JSON.stringify({ ...about, slots: 1, busy, isEnded: false }));
}

function nameOf(n: number): string {
  return `worker-${n}`;
}

function positionOf(job: JobId): number {
  const parsed = parseJob(job);
  return parsed?.kind === 'sample' ? parsed.position : 0;
}
