import { type JobId, parseJob } from '../../../src/cluster/index.ts';

/** A lease as the bucket was first told of it, whatever became of its records since. */
export interface WitnessedLease {
  readonly job: JobId;
  readonly n: number;
  readonly round: number;
  readonly worker: string;
  readonly writer: string;
  ended?: { readonly status: string; readonly by: string; readonly reason: string };
}

/** Keeps what a record of a lease says, in words of its own: what reads them in the product is what is tried. */
export function witness(leases: WitnessedLease[], key: string, bytes: Uint8Array): void {
  const [, job = '', part] = /\/([sb][0-9a-f]+)\.\d+\.(begun|ended)$/.exec(key) ?? [];
  if (!parseJob(job)) return;
  const {
    n,
    round,
    worker,
    writer,
    status,
    by,
    reason = '',
  } = JSON.parse(Buffer.from(bytes).toString('utf8'));
  if (part === 'begun') leases.push({ job: job as JobId, n, round, worker, writer });
  const lease = leases.find((one) => one.job === job && one.n === n);
  if (part === 'ended' && lease) lease.ended = { status, by, reason };
}
