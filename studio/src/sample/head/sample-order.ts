import type { Outcome, SampleId, SampleOrder } from '../../../../src/server/api.ts';

export interface SampleKey {
  readonly id: SampleId;
  readonly epoch: number;
}

type Keys = SampleOrder['keys'];

/** Where a sample is in the order of a list; -1 when the filter leaves it out. */
export function placeIn(keys: Keys, { id, epoch }: { readonly id: string; readonly epoch: number }): number {
  return keys.findIndex(([other, at]) => String(other) === id && at === epoch);
}

const FAILING: ReadonlySet<Outcome> = new Set(['fail', 'error']);

/** The next sample in a direction, or the next that fails; undefined at the end. From outside the list one comes to its end. */
export function neighbour(
  keys: Keys,
  { from, step, isFailing }: { readonly from: number; readonly step: 1 | -1; readonly isFailing: boolean },
): SampleKey | undefined {
  const start = from < 0 && step < 0 ? keys.length : from;
  for (let at = start + step; at >= 0 && at < keys.length; at += step) {
    const [id, epoch, outcome] = keys[at] ?? ['', 0, 'missing'];
    if (!isFailing || FAILING.has(outcome)) return { id, epoch };
  }
  return undefined;
}
