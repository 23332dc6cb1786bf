import { bySampleOrder, type SampleId, sampleKeyText } from '../base/index.ts';
import { compareMerit, type Merit } from '../log/index.ts';

/** One log's copy of a sample, with all that the choice between copies depends on. */
export interface MergeCandidate extends Merit {
  readonly id: SampleId;
  readonly epoch: number;
  readonly place: string;
}

export interface MergeConflict {
  readonly id: SampleId;
  readonly epoch: number;
  /** The log that it was taken from, and those whose copy was left out. */
  readonly taken: string;
  readonly left: readonly string[];
}

/**
 * The best copy of each sample, by the order of merit: complete before errored before interrupted; among equals by its id
 * and its bytes. So nothing that is merged later changes what was chosen, and neither the order of logs nor any clock
 * matters.
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

/** Copies that are alike in all but where they lie are taken from the place that comes first. */
function byMerit(a: MergeCandidate, b: MergeCandidate): number {
  return compareMerit(a, b) || compare(a.place, b.place);
}

function isSame(a: MergeCandidate, b: MergeCandidate): boolean {
  return a.checksum !== '' && a.checksum === b.checksum;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
