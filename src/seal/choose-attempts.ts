import type { SampleId } from '../base/index.ts';
import type { AttemptOutline, JournalReader, ReusedOutline } from '../journal/index.ts';

/** Where the log takes one sample from. */
export type Choice =
  | {
      readonly from: 'journal';
      readonly source: JournalReader;
      readonly attempt: Omit<AttemptOutline, 'key'>;
    }
  | { readonly from: 'log'; readonly source: JournalReader; readonly row: ReusedOutline };

/**
 * The union of all sources, by sample and epoch: a completed attempt beats a reused sample, which beats an errored
 * attempt, which beats an interrupted one; among equals the later attempt of the earlier source. The order of sources
 * decides only between equals, so merging is the same whatever is merged first [SEAL-2]. A log that is gone lends nothing.
 */
export function chooseAttempts(
  sources: readonly JournalReader[],
  isLogThere: (log: string) => boolean = () => true,
): readonly Choice[] {
  const best = new Map<string, Choice>();
  const consider = (id: SampleId, epoch: number, choice: Choice) => {
    const key = `${epoch} ${JSON.stringify(id)}`;
    const current = best.get(key);
    if (!current || isBetter(choice, current)) best.set(key, choice);
  };
  for (const source of sources) {
    for (const row of source.reused()) {
      if (isLogThere(row.log)) consider(row.id, row.epoch, { from: 'log', source, row });
    }
    for (const { n, id, epoch, status } of source.outline())
      consider(id, epoch, { from: 'journal', source, attempt: { n, id, epoch, status } });
  }
  return [...best.values()].sort(bySample);
}

function isBetter(choice: Choice, current: Choice): boolean {
  const difference = rank(choice) - rank(current);
  if (difference !== 0) return difference > 0;
  if (choice.from !== 'journal' || current.from !== 'journal') return false;
  return choice.source === current.source && choice.attempt.n > current.attempt.n;
}

function rank(choice: Choice): number {
  if (choice.from === 'log') return 2;
  if (choice.attempt.status === 'completed') return 3;
  return choice.attempt.status === 'errored' ? 1 : 0;
}

export function sampleOf(choice: Choice): { readonly id: SampleId; readonly epoch: number } {
  return choice.from === 'log' ? choice.row : choice.attempt;
}

/** Inspect's own order after reading: epoch, then id (numbers padded to 20 digits). */
function bySample(a: Choice, b: Choice): number {
  const left = sampleOf(a);
  const right = sampleOf(b);
  if (left.epoch !== right.epoch) return left.epoch - right.epoch;
  const leftId = sortKey(left.id);
  const rightId = sortKey(right.id);
  return leftId < rightId ? -1 : leftId > rightId ? 1 : 0;
}

function sortKey(id: SampleId): string {
  return typeof id === 'number' ? String(id).padStart(20, '0') : id;
}
