import { DamageError } from '../base/index.ts';
import { costsInSegments } from '../journal/index.ts';
import { UNKNOWN } from './damage.ts';
import { KnownRuns } from './known-runs.ts';
import { spentOfPurse } from './purse.ts';
import type { JobId, SharedPlace } from './shared-keys.ts';
import type { SharedRun } from './shared-run.ts';
import { spentByWriters } from './spending.ts';

/** What was spent of the budget of a run, by it and by all that share it, as the bucket knows. */
export async function spentOfBudget(place: SharedPlace, shared: SharedRun): Promise<number> {
  const runs = new KnownRuns(place);
  const spent = await spentOfPurse(place, shared.submission, (run) => spentOnRun(place, { run, runs }));
  let usd = 0;
  for (const one of spent.values()) usd += one;
  return usd;
}

export interface SpentAsk {
  readonly run: string;
  readonly runs: KnownRuns;
  readonly signal?: AbortSignal | undefined;
}

/**
 * What the bucket knows was spent on a run [QLIM-5], by fields of the hash in Redis: by writers what their segments say, or the ends of their
 * leases where that is more, and what builds cost by those who built them.
 */
export async function spentOnRun(
  place: SharedPlace,
  { run, runs, signal }: SpentAsk,
): Promise<ReadonlyMap<string, number>> {
  const byWriter = new Map(await costsInSegments({ ...place, run, signal }));
  const shared = await runs.look(run).catch(unread);
  for (const [writer, usd] of shared ? spentByWriters(shared) : [])
    byWriter.set(writer, Math.max(usd, byWriter.get(writer) ?? 0));
  const spent = new Map([...byWriter].map(([writer, usd]) => [`w:${writer}`, usd]));
  const add = (field: string, usd: number) => spent.set(field, (spent.get(field) ?? 0) + usd);
  for (const { job } of shared?.submission.builds ?? []) if (shared) addBuild(shared, job, add);
  return spent;
}

/** Of a run whose submission cannot be read the segments are: it does not keep others that have one budget with it from counting [SHR-24]. */
function unread(error: unknown): undefined {
  if (!(error instanceof DamageError)) throw error;
}

/**
 * The end of a build says what it cost by then, over all who worked on it. What a lost worker paid is in the end of whoever came after it: that is
 * counted apart, since that one does not count it as its own.
 */
function addBuild(shared: SharedRun, job: JobId, add: (field: string, usd: number) => void): void {
  let [knownUsd, isLost] = [0, false];
  for (const { begun, ended } of shared.leasesOf(job)) {
    const usd = Math.max(0, (ended?.usd ?? 0) - knownUsd);
    knownUsd += usd;
    if (usd > 0) add(isLost || begun.writer === UNKNOWN ? `b:${job}` : `w:${begun.writer}`, usd);
    isLost ||= ended?.status === 'lost';
  }
}
