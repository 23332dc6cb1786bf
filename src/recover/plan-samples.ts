import { bySampleOrder } from '../base/index.ts';
import { type BufferedSample, type BufferKey, type BufferReader, bufferKeyText } from '../journal/index.ts';
import { BufferedCopy, isSameNumbering } from './buffered-copy.ts';

/** A sample that only buffers hold, and the buffers to take it from. */
export interface BufferedPlan {
  readonly key: BufferKey;
  readonly readers: readonly BufferReader[];
  readonly isCompleted: boolean;
  /** Places that hold another attempt at the same sample, which was left out. */
  readonly others: readonly string[];
}

/**
 * The union of all buffers, by sample. Sources that number their rows alike are read as one. Two that do not hold two
 * attempts: the completed one is taken, else the one with more events, whatever their age.
 */
export function planBuffered(
  readers: readonly BufferReader[],
  isHeld: (key: BufferKey) => boolean,
): readonly BufferedPlan[] {
  const found = new Map<string, { readonly key: BufferKey; readonly holders: Holder[] }>();
  for (const reader of readers) {
    for (const sample of reader.samples()) {
      if (isHeld(sample)) continue;
      const name = bufferKeyText(sample);
      const entry = found.get(name) ?? { key: { id: sample.id, epoch: sample.epoch }, holders: [] };
      entry.holders.push({ reader, sample });
      found.set(name, entry);
    }
  }
  return [...found.values()]
    .map(({ key, holders }) => chooseCopy(key, holders))
    .sort((a, b) => bySampleOrder(a.key, b.key));
}

export function openCopy(plan: BufferedPlan): BufferedCopy {
  return new BufferedCopy(plan.key, plan.readers);
}

interface Holder {
  readonly reader: BufferReader;
  readonly sample: BufferedSample;
}

function chooseCopy(key: BufferKey, holders: readonly Holder[]): BufferedPlan {
  const [only] = holders;
  if (only && holders.length === 1) {
    return { key, readers: [only.reader], isCompleted: only.sample.isCompleted, others: [] };
  }
  const groups = groupByNumbering(key, holders).map((group) => ({
    group,
    isCompleted: group.some(({ sample }) => sample.isCompleted),
    events: Math.max(...group.map(({ reader }) => reader.eventRows(key).length)),
    place: group[0]?.reader.place ?? '',
  }));
  groups.sort(
    (a, b) => Number(b.isCompleted) - Number(a.isCompleted) || b.events - a.events || byPlace(a, b),
  );
  const [best, ...rest] = groups;
  const readers = (best?.group ?? []).map(({ reader }) => reader);
  return {
    key,
    readers,
    isCompleted: best?.isCompleted ?? false,
    others: rest.map(({ place }) => place),
  };
}

function groupByNumbering(key: BufferKey, holders: readonly Holder[]): Holder[][] {
  const groups: Holder[][] = [];
  for (const holder of holders) {
    const rows = holder.reader.eventRows(key);
    const group = groups.find(
      ([first]) =>
        first &&
        first.reader.kind !== holder.reader.kind &&
        isSameNumbering(first.reader.eventRows(key), rows),
    );
    if (group) group.push(holder);
    else groups.push([holder]);
  }
  return groups;
}

function byPlace(a: { readonly place: string }, b: { readonly place: string }): number {
  return a.place < b.place ? -1 : a.place > b.place ? 1 : 0;
}
