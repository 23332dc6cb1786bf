import { ActionableError, type Clock } from '../../../src/base/index.ts';
import type { Bucket } from '../../../src/bucket/index.ts';
import { type HomeReport, reportOf } from '../../../src/cluster/come-home.ts';
import { type JobId, noteFetched, type SharedPlace, SharedRun } from '../../../src/cluster/index.ts';
import { refuseRemoved } from '../../../src/cluster/removed-runs.ts';
import { readWriters } from './sim-samples.ts';
import { RUN } from './sim-submission.ts';

/** What came of one fetch. */
export type SimFetch = FetchedRun | { readonly by: string; readonly kind: 'removed' | 'absent' };

export interface FetchedRun {
  readonly by: string;
  readonly kind: 'fetched';
  readonly report: HomeReport;
  /** Which attempt the log has of each job that completed. */
  readonly chosen: ReadonlyMap<JobId, string | undefined>;
  /** When the bucket was told that it is home; undefined when there was nothing to tell. */
  readonly notedAtMs?: number;
}

interface FetchPorts {
  readonly clock: Clock;
  readonly by: string;
}

/** What `runs fetch` does, in its order: everything that decides is the product's, only journals and logs are stand-ins. */
export async function fetchOnce(place: SharedPlace, { clock, by }: FetchPorts): Promise<SimFetch> {
  const shared = await SharedRun.open(place, RUN);
  if (!shared) return { by, kind: 'absent' };
  try {
    // Leases before segments, as `comeHome` reads them.
    await shared.refresh();
    const report = await accountOf(shared, place.bucket);
    await refuseRemoved(shared, place, { round: shared.round });
    const chosen = new Map<JobId, string | undefined>();
    for (const job of shared.jobs()) {
      const end = shared.endOf(job);
      if (end?.status === 'completed') chosen.set(job, end.origin);
    }
    const fetched = { by, kind: 'fetched', report, chosen } as const;
    if (!report.isComplete) return fetched;
    await noteFetched(shared, place, { clock, by, isMerged: isWhole(report) });
    return { ...fetched, notedAtMs: clock.monotonicMs() };
  } catch (error) {
    if (!(error instanceof ActionableError) || error.code !== 'E_SHARED_REMOVED') throw error;
    return { by, kind: 'removed' };
  }
}

export function isWhole({ lostResults, damaged, problems }: HomeReport): boolean {
  return lostResults.length + damaged.length + problems.length === 0;
}

/** What a fetch says of a run as it was read: the product's own account, of journals that are stand-ins. */
export async function accountOf(shared: SharedRun, bucket: Bucket): Promise<HomeReport> {
  const there = new Set<string>();
  const all = await readWriters(bucket);
  for (const rows of all.values())
    for (const row of rows) if ('result' in row) there.add(row.result.split(' ')[1] ?? '');
  return reportOf(shared, {
    ...{ writers: all.size, nodes: [], usd: 0, problems: [], evidence: undefined },
    there,
  });
}
