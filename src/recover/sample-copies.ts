import type { SampleKey } from '../base/index.ts';
import type { BufferReader } from '../journal/index.ts';
import { compareMerit, type MeritRank } from '../log/index.ts';

/** What the crashed log itself holds of a sample, and can be read to its end. */
export interface RecordCopy {
  readonly from: 'record';
  readonly key: SampleKey;
  readonly rank: MeritRank;
  readonly uuid: string | undefined;
  /** The last moment that it tells of, in microseconds: its end, else its beginning. */
  readonly endedAt: number | undefined;
}

/** What buffers hold of one attempt at a sample: several of them when they number their rows alike. */
export interface BufferedAttempt {
  readonly from: 'buffers';
  readonly key: SampleKey;
  readonly readers: readonly BufferReader[];
  readonly rank: MeritRank;
  /** Its last word was said: the sample had ended, well or not. */
  readonly isFinal: boolean;
  readonly uuid: string | undefined;
  readonly startedAt: number | undefined;
  readonly events: number;
}

export type SampleCopy = RecordCopy | BufferedAttempt;

/**
 * Whether a buffered attempt comes after the record in the log. Inspect begins the log of a retry with the records of the
 * attempt before, and decides so itself: an attempt that began after a record had ended is newer. Where one of the times
 * is not known, the record stands.
 */
export function isNewer(attempt: BufferedAttempt, record: RecordCopy | undefined): boolean {
  const { startedAt } = attempt;
  const endedAt = record?.endedAt;
  return startedAt !== undefined && endedAt !== undefined && startedAt > endedAt;
}

/**
 * The copies of one sample, best first. One that is complete comes before all that are not; then one that is newer than
 * the record; then the order of merit, with the record before what is no newer, and more events before fewer.
 */
export function orderCopies(copies: readonly SampleCopy[]): readonly SampleCopy[] {
  const record = copies.find((copy) => copy.from === 'record');
  const keys = (copy: SampleCopy): readonly number[] => [
    copy.rank === 'complete' ? 0 : 1,
    copy.from === 'buffers' && isNewer(copy, record) ? 0 : 1,
    RANKS.indexOf(copy.rank),
    copy.from === 'record' ? 0 : 1,
    copy.from === 'record' ? 0 : -copy.events,
  ];
  return [...copies].sort((a, b) => compareLists(keys(a), keys(b)) || compareMerit(meritOf(a), meritOf(b)));
}

/** Whether two copies are of one attempt: by its id, and where one has none, unless the buffered one is surely newer. */
export function isSameAttempt(one: SampleCopy, other: SampleCopy): boolean {
  if (one.uuid !== undefined && other.uuid !== undefined) return one.uuid === other.uuid;
  if (one.from === 'record') return other.from === 'record' || !isNewer(other, one);
  return other.from === 'record' ? !isNewer(one, other) : one === other;
}

/** Why the first of several copies was taken; undefined where there was no choice. */
export function whyFirst(copies: readonly SampleCopy[]): string | undefined {
  const [best, ...others] = copies;
  const [second] = others;
  if (!best || !second) return undefined;
  if (best.rank === 'complete' && second.rank !== 'complete')
    return `It is complete, and ${nameOf(second)} is ${second.rank}.`;
  const record = copies.find((copy) => copy.from === 'record');
  if (best.from === 'buffers' && isNewer(best, record))
    return 'It began after the record in the log had ended.';
  if (best.rank !== second.rank) return `It is ${best.rank}, and ${nameOf(second)} is ${second.rank}.`;
  return best.from === 'record' ? 'No attempt in a buffer began after it.' : 'It has most events.';
}

export function placeOf(copy: SampleCopy): string | undefined {
  return copy.from === 'record' ? undefined : copy.readers[0]?.place;
}

const RANKS: readonly MeritRank[] = ['complete', 'errored', 'interrupted'];

function nameOf(copy: SampleCopy): string {
  return copy.from === 'record' ? 'the record in the log' : 'another attempt';
}

function meritOf(copy: SampleCopy) {
  return { rank: copy.rank, uuid: copy.uuid ?? '', checksum: placeOf(copy) ?? '' };
}

function compareLists(a: readonly number[], b: readonly number[]): number {
  for (const [index, left] of a.entries()) {
    const difference = left - (b[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
