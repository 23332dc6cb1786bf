import { bySampleOrder, type SampleKey, sampleKeyText } from '../base/index.ts';
import type { BufferReader } from '../journal/index.ts';
import { findAttempts, openCopy } from './buffered-attempts.ts';
import type { FlushedLog } from './flushed-log.ts';
import { decideIncomplete, type IncompleteDecision, type IncompleteOptions } from './incomplete.ts';
import type { InspectCrash } from './inspect-crash.ts';
import type { RecoverCounts, SampleAccount } from './recover-report.ts';
import { factsOfLog, factsOfName, type RunFacts } from './run-facts.ts';
import {
  type BufferedAttempt,
  orderCopies,
  type RecordCopy,
  type SampleCopy,
  whyFirst,
} from './sample-copies.ts';

/** One sample of the log that is to be, and every copy of it that can be read. */
export interface PlannedSample {
  readonly key: SampleKey;
  /** Best first. The first is taken; the next when it turns out, against what was found before, to be unreadable. */
  readonly copies: readonly SampleCopy[];
  readonly state: Exclude<SampleAccount['state'], 'lost'>;
  /** Why the first was taken; undefined where there was no choice. */
  readonly why: string | undefined;
}

/** All that a recovery will do, decided before anything is written. */
export interface RecoveryPlan {
  readonly facts: RunFacts;
  /** Records of the log come first, so that what is copied is written without waiting for what is rebuilt. */
  readonly samples: readonly PlannedSample[];
  /** What the log once held or listed, and nothing holds any more. */
  readonly lost: readonly SampleKey[];
  readonly counts: RecoverCounts;
  readonly decision: IncompleteDecision;
  /** Everything that buffers hold, taken or not. */
  readonly attempts: ReadonlyMap<string, readonly BufferedAttempt[]>;
}

/** What could be read of a crash. */
export interface CrashContents {
  readonly records: ReadonlyMap<string, RecordCopy>;
  readonly readers: readonly BufferReader[];
}

/** Chooses a copy of each sample, and counts: the log, its account and what may be released all follow from this. */
export async function planRecovery(
  crash: InspectCrash,
  { records, readers }: CrashContents,
  incomplete: IncompleteOptions,
): Promise<RecoveryPlan> {
  const attempts = findAttempts(readers);
  const samples = [...new Set([...records.keys(), ...attempts.keys()])]
    .map((name) => planSample(records.get(name), attempts.get(name) ?? []))
    .sort((a, b) => isRebuilt(a) - isRebuilt(b) || bySampleOrder(a.key, b.key));
  const held = new Set(samples.map(({ key }) => sampleKeyText(key.id, key.epoch)));
  const { flushed } = crash;
  const lost = new Map<string, SampleKey>();
  for (const key of flushed ? [...flushed.keys, ...(await flushed.listed())] : []) {
    const name = sampleKeyText(key.id, key.epoch);
    if (!held.has(name)) lost.set(name, key);
  }
  const facts =
    (flushed && factsOfLog(flushed)) ??
    factsOfName(crash.site, firstModel(attempts) ?? (await modelOfRows(flushed)));
  const states = [...samples.map(({ state }) => state), ...Array.from(lost, () => 'lost' as const)];
  const counts = countStates(states, facts.expected);
  const decision = decideIncomplete(incomplete, { inFlight: counts.inFlight, expected: facts.expected });
  return { facts, samples, lost: [...lost.values()], counts, decision, attempts };
}

/** Counting is by sample: each is in one state. */
export function countStates(
  states: Iterable<SampleAccount['state']>,
  expected: number | undefined,
): RecoverCounts {
  const counts = { expected, kept: 0, recovered: 0, inFlight: 0, lost: 0 };
  for (const state of states) counts[COUNTED_AS[state]]++;
  return counts;
}

const COUNTED_AS = {
  flushed: 'kept',
  completed: 'recovered',
  errored: 'recovered',
  'in-flight': 'inFlight',
  lost: 'lost',
} as const;

export function stateOf(copy: SampleCopy): PlannedSample['state'] {
  if (copy.from === 'record') return 'flushed';
  if (!copy.isFinal) return 'in-flight';
  return copy.rank === 'complete' ? 'completed' : 'errored';
}

function planSample(record: RecordCopy | undefined, attempts: readonly BufferedAttempt[]): PlannedSample {
  const copies = orderCopies(record ? [record, ...attempts] : attempts);
  const [best] = copies;
  if (!best) throw new RangeError('a sample is planned because something holds it');
  return { key: best.key, copies, state: stateOf(best), why: whyFirst(copies) };
}

function isRebuilt({ copies }: PlannedSample): number {
  return copies[0]?.from === 'buffers' ? 1 : 0;
}

/** Which model the list of a log names, when its header is gone. */
async function modelOfRows(flushed: FlushedLog | undefined): Promise<string | undefined> {
  for await (const { model_usage: usage } of flushed?.rows() ?? [])
    for (const model of Object.keys(usage ?? {})) return model;
  return undefined;
}

/** Which model the events of a buffer name, for a log whose header is gone. */
function firstModel(attempts: ReadonlyMap<string, readonly BufferedAttempt[]>): string | undefined {
  for (const attempt of [...attempts.values()].flat()) {
    const copy = openCopy(attempt);
    for (const row of copy.events) {
      const event = copy.event(row);
      const model = event?.tag === 'model' ? /"model":"([^"\\]+)"/.exec(event.json)?.[1] : undefined;
      if (model !== undefined) return model;
    }
  }
  return undefined;
}
