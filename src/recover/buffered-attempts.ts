import { sampleKeyText } from '../base/index.ts';
import type { BufferedSample, BufferKey, BufferReader } from '../journal/index.ts';
import type { MeritRank } from '../log/index.ts';
import { BufferedCopy, isSameNumbering } from './buffered-copy.ts';
import { instantOf } from './instant.ts';
import type { BufferedAttempt } from './sample-copies.ts';
import { SampleFacts } from './sample-facts.ts';
import { rankOf } from './sample-rank.ts';

/**
 * Every attempt that buffers hold, by sample. Sources that number their rows alike are read as one; two that do not, hold
 * two attempts.
 */
export function findAttempts(
  readers: readonly BufferReader[],
): ReadonlyMap<string, readonly BufferedAttempt[]> {
  const found = new Map<string, { readonly key: BufferKey; readonly holders: Holder[] }>();
  for (const reader of readers) {
    for (const sample of reader.samples()) {
      const name = sampleKeyText(sample.id, sample.epoch);
      const entry = found.get(name) ?? { key: { id: sample.id, epoch: sample.epoch }, holders: [] };
      entry.holders.push({ reader, sample });
      found.set(name, entry);
    }
  }
  return new Map(
    Array.from(found, ([name, { key, holders }]) => [
      name,
      groupByNumbering(key, holders).map((group) => attemptOf(key, group)),
    ]),
  );
}

export function openCopy({ key, readers }: BufferedAttempt): BufferedCopy {
  return new BufferedCopy({ id: String(key.id), epoch: key.epoch }, readers);
}

/** What the events of an attempt tell, without building its sample. */
export function factsOf(copy: BufferedCopy): SampleFacts {
  const facts = new SampleFacts();
  for (const row of copy.events) {
    const event = copy.event(row);
    if (event) facts.add(event.tag, event.json);
  }
  return facts;
}

/** What a row of a sample says of an attempt; a list of the crashed runs knows no more. */
export function outlineOfRow(sample: Omit<BufferedSample, 'hasRow'>): {
  readonly rank: MeritRank;
  readonly isFinal: boolean;
  readonly uuid: string | undefined;
  readonly startedAt: number | undefined;
} {
  const { isCompleted, error, uuid, startedAt } = sample;
  return {
    rank: isCompleted ? rankOf({ error: error ?? null }) : 'interrupted',
    isFinal: isCompleted,
    uuid,
    startedAt: instantOf(startedAt),
  };
}

interface Holder {
  readonly reader: BufferReader;
  readonly sample: BufferedSample;
}

function attemptOf(key: BufferKey, group: readonly Holder[]): BufferedAttempt {
  const readers = group.map(({ reader }) => reader);
  const events = Math.max(...readers.map((reader) => reader.countEvents(key)));
  const common = { from: 'buffers' as const, key, readers, events };
  const rows = group.map(({ sample }) => sample).filter(({ hasRow }) => hasRow);
  const row = rows.find(({ isCompleted }) => isCompleted) ?? rows[0];
  return row ? { ...common, ...outlineOfRow(row) } : { ...common, ...outlineOfEvents(key, readers) };
}

/**
 * Without its row an attempt is known by its events alone, as `rebuildSample` knows it. Inspect commits the first events
 * before the row: an attempt that has neither a row nor a call of a model has not begun, so it is newer than nothing.
 */
function outlineOfEvents(key: BufferKey, readers: readonly BufferReader[]) {
  const facts = factsOf(new BufferedCopy(key, readers));
  const isFinal = facts.isScored || facts.error !== undefined;
  const error = typeof facts.error?.message === 'string' ? facts.error.message : null;
  return {
    rank: isFinal ? rankOf({ error }) : ('interrupted' as const),
    isFinal,
    uuid: undefined,
    startedAt: facts.model === undefined ? undefined : instantOf(facts.firstTimestamp),
  };
}

function groupByNumbering(key: BufferKey, holders: readonly Holder[]): readonly Holder[][] {
  const groups: Holder[][] = [];
  for (const holder of holders) {
    const group = groups.find(([first]) => first && isSameSource(key, first, holder));
    if (group) group.push(holder);
    else groups.push([holder]);
  }
  return groups;
}

function isSameSource(key: BufferKey, one: Holder, other: Holder): boolean {
  if (one.reader.kind === other.reader.kind) return false;
  return isSameNumbering(one.reader.eventRows(key), other.reader.eventRows(key));
}
