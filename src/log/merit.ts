/** What became of a copy of a sample; `interrupted` is also what was cancelled, or was still under way. */
export type MeritRank = 'complete' | 'errored' | 'interrupted';

/** All that decides between copies of one sample. No time of day is in it: clocks go back, and differ between machines. */
export interface Merit {
  readonly rank: MeritRank;
  /** The place of an attempt among all attempts of its run, where something recorded it. */
  readonly order?: { readonly generation: number; readonly n: number };
  /** It was taken from another run. */
  readonly isLent?: boolean;
  readonly uuid: string;
  /** Of its bytes: copies that agree in everything else and in this are one copy. */
  readonly checksum: string;
}

const RANKS: readonly MeritRank[] = ['complete', 'errored', 'interrupted'];

/**
 * The one order of merit of seal, merge and recover; the better copy comes first. A complete copy is the first that was
 * made, so that nothing which comes later changes a result; of failures the last one tells most. Copies without a place
 * come after those that have one.
 *
 * It is a total order: it compares a list of keys, each of which is totally ordered, and zero means that all keys are
 * equal. So the best of a set does not depend on the order, the grouping or the repetition of what was compared.
 */
export function compareMerit(a: Merit, b: Merit): number {
  return (
    RANKS.indexOf(a.rank) - RANKS.indexOf(b.rank) ||
    compareOrder(a, b) ||
    Number(a.isLent ?? false) - Number(b.isLent ?? false) ||
    compareText(a.uuid, b.uuid) ||
    compareText(a.checksum, b.checksum)
  );
}

/** The best copy, or undefined when there is none. */
export function bestByMerit<Copy extends Merit>(copies: Iterable<Copy>): Copy | undefined {
  let best: Copy | undefined;
  for (const copy of copies) {
    if (best === undefined || compareMerit(copy, best) < 0) best = copy;
  }
  return best;
}

function compareOrder(a: Merit, b: Merit): number {
  if (!a.order || !b.order) return Number(a.order === undefined) - Number(b.order === undefined);
  const earlier = a.order.generation - b.order.generation || a.order.n - b.order.n;
  return a.rank === 'complete' ? earlier : -earlier;
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
