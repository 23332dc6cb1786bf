import { bySampleOrder, type SampleId, sampleKeyText } from '../base/index.ts';
import type { EvalSampleSummary } from '../log/index.ts';

export type SampleRank = 'complete' | 'errored' | 'cancelled';

/** One log's copy of a sample, with all that the choice between copies depends on. */
export interface MergeCandidate {
  readonly id: SampleId;
  readonly epoch: number;
  readonly rank: SampleRank;
  /** Of its bytes: equal ones are the same sample. */
  readonly checksum: string;
  readonly uuid: string;
  readonly completedAt: string;
  readonly place: string;
}

export interface MergeConflict {
  readonly id: SampleId;
  readonly epoch: number;
  /** The log that it was taken from, and those whose copy was left out. */
  readonly taken: string;
  readonly left: readonly string[];
}

const RANKS: readonly SampleRank[] = ['complete', 'errored', 'cancelled'];

/** How Inspect words a cancellation, by a person or by a recovery. */
const CANCELLED = /^(CancelledError|KeyboardInterrupt)\b|^The run was interrupted/;

export function rankOf(summary: Pick<EvalSampleSummary, 'error'>): SampleRank {
  if (summary.error === undefined || summary.error === null) return 'complete';
  return CANCELLED.test(summary.error) ? 'cancelled' : 'errored';
}

/**
 * The best copy of each sample: complete before errored before cancelled; among equals the one that ended first, then by
 * its id and bytes. So nothing that is merged later changes what was chosen, and the order of logs does not matter.
 */
export function chooseSamples<Candidate extends MergeCandidate>(
  candidates: readonly Candidate[],
): { readonly chosen: readonly Candidate[]; readonly conflicts: readonly MergeConflict[] } {
  const groups = new Map<string, Candidate[]>();
  for (const candidate of candidates) {
    const key = sampleKeyText(candidate.id, candidate.epoch);
    const group = groups.get(key);
    if (group) group.push(candidate);
    else groups.set(key, [candidate]);
  }
  const chosen: Candidate[] = [];
  const conflicts: MergeConflict[] = [];
  for (const group of groups.values()) {
    const [best, ...others] = group.sort(byMerit);
    if (!best) continue;
    chosen.push(best);
    const different = others.filter((other) => other.rank === 'complete' && !isSame(best, other));
    if (best.rank === 'complete' && different.length > 0) {
      conflicts.push({
        id: best.id,
        epoch: best.epoch,
        taken: best.place,
        left: different.map(({ place }) => place).sort(),
      });
    }
  }
  return { chosen: chosen.sort(bySampleOrder), conflicts: conflicts.sort(bySampleOrder) };
}

function byMerit(a: MergeCandidate, b: MergeCandidate): number {
  return (
    RANKS.indexOf(a.rank) - RANKS.indexOf(b.rank) ||
    compare(a.completedAt || '~', b.completedAt || '~') ||
    compare(a.uuid, b.uuid) ||
    compare(a.checksum, b.checksum) ||
    compare(a.place, b.place)
  );
}

function isSame(a: MergeCandidate, b: MergeCandidate): boolean {
  return a.checksum !== '' && a.checksum === b.checksum;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
