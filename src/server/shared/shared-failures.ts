import { definedOf } from '../../base/index.ts';
import { jobNames, type Lease, type SharedRun } from '../../cluster/index.ts';
import type { SharedFailure } from '../api.ts';

/** Leases that ended badly: errors, what was set aside, and workers that did not come back. The latest first. */
export function failuresOf(shared: SharedRun): readonly SharedFailure[] {
  const nameOf = jobNames(shared.submission);
  const failures: SharedFailure[] = [];
  for (const job of shared.jobs()) {
    const leases = shared.leasesOf(job);
    leases.forEach(({ begun, ended }, at) => {
      if (ended?.status !== 'errored' && ended?.status !== 'aside' && ended?.status !== 'lost') return;
      const { status: is, n, round, by, at: when, reason, usd } = ended;
      failures.push({
        ...{ job, ...nameOf(job), is, n, round, worker: begun.worker, by, at: when },
        ...definedOf({ reason, usd }),
        isMended: isMended(leases.slice(at + 1)),
      });
    });
  }
  return failures.sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0));
}

/** Somebody has it again, or it went well at last. */
function isMended(later: readonly Lease[]): boolean {
  return later.some(({ ended, damaged }) => (ended ? ended.status === 'completed' : !damaged));
}

/** Ends that do not say what they cost. What was set aside cost nothing: nobody worked on it. */
export function unpricedEnds(shared: SharedRun): number {
  let unpriced = 0;
  for (const job of shared.jobs())
    for (const { ended } of shared.leasesOf(job))
      if (ended && ended.usd === undefined && ended.status !== 'aside') unpriced++;
  return unpriced;
}
