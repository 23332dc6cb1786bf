import { UNKNOWN } from './damage.ts';
import { type JobId, parseJob } from './shared-keys.ts';
import type { SharedRun } from './shared-run.ts';

/** What one lease of a job added to the cost of the run. */
export interface Spent {
  /** By the clock of whoever ended it. */
  readonly at: string;
  readonly usd: number;
}

/**
 * What a job has cost, lease by lease. The end of a sample says what its attempt cost; that of a build what the build has cost by then, over
 * all who worked on it, so only what came on top counts. A lease that does not say is unknown, and is left out.
 */
export function spentOn(shared: SharedRun, job: JobId): readonly Spent[] {
  const isBuild = parseJob(job)?.kind === 'build';
  const spent: Spent[] = [];
  let known = 0;
  for (const { ended } of shared.leasesOf(job)) {
    if (ended?.usd === undefined) continue;
    spent.push({ at: ended.at, usd: isBuild ? Math.max(0, ended.usd - known) : ended.usd });
    known = Math.max(known, ended.usd);
  }
  return spent;
}

/**
 * What samples have cost by those who had them, as the ends of their leases say. That includes what agents pay for themselves, of which no
 * answer in a segment tells; what a lost worker had spent so, nobody knows.
 */
export function spentByWriters(shared: SharedRun): ReadonlyMap<string, number> {
  const spent = new Map<string, number>();
  for (const job of shared.jobs())
    if (parseJob(job)?.kind === 'sample')
      // Whose it was cannot be read: what segments say of it counts.
      for (const { begun, ended } of shared.leasesOf(job))
        if (begun.writer !== UNKNOWN)
          spent.set(begun.writer, (spent.get(begun.writer) ?? 0) + (ended?.usd ?? 0));
  return spent;
}
