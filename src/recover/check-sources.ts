import { type SampleKey, sampleKeyText } from '../base/index.ts';
import type { BufferReader, Filestore } from '../journal/index.ts';
import { factsOf, openCopy } from './buffered-attempts.ts';
import type { InspectCrash } from './inspect-crash.ts';
import type { ReadBackSample } from './read-back.ts';
import type { RecoverProblem } from './recover-report.ts';
import { type BufferedAttempt, isSameAttempt } from './sample-copies.ts';

/** Which buffers a finished log stands for, and which it does not. */
export interface SourceCheck {
  readonly databases: readonly string[];
  readonly isFilestore: boolean;
  /** What must stay: it could not be read whole, or something of it is not in the log. */
  readonly left: readonly string[];
  /** Why, for what could be read whole. */
  readonly problems: readonly RecoverProblem[];
}

export interface CheckOptions {
  readonly readers: readonly BufferReader[];
  /** What they hold: see `findAttempts`. */
  readonly attempts: ReadonlyMap<string, readonly BufferedAttempt[]>;
  /** What reading the log back has found. */
  readonly output: ReadonlyMap<string, ReadBackSample>;
  /** The log was made with its transcripts. One without them stands for no buffer that has some. */
  readonly withEvents: boolean;
  /** Problems of a buffer that take nothing away from what was read. */
  readonly isHarmless?: (problem: RecoverProblem) => boolean;
  /** How many events an attempt has, where that is known already. */
  readonly events?: ReadonlyMap<BufferedAttempt, number>;
}

/** Every sample of which a buffer holds something. */
export function keysInBuffers(crash: InspectCrash, readers: readonly BufferReader[]): readonly SampleKey[] {
  const keys = new Map<string, SampleKey>();
  const add = (id: string, epoch: number) => keys.set(sampleKeyText(id, epoch), { id, epoch });
  for (const reader of readers) for (const { id, epoch } of reader.samples()) add(id, epoch);
  for (const { summary } of crash.filestore?.manifest?.samples ?? [])
    add(String(summary.id), Number(summary.epoch));
  return [...keys.values()];
}

/**
 * Decides sample by sample what may be let go. A buffer is stood for when every attempt that it holds is in the log as it
 * was read back: the same attempt, with no fewer events. One of which a row could not be read stays in any case.
 */
export function checkSources(crash: InspectCrash, options: CheckOptions): SourceCheck {
  const problems: RecoverProblem[] = [];
  const released = new Set<string>();
  for (const reader of options.readers) {
    if (!reader.problems.every((problem) => options.isHarmless?.(problem) ?? false)) continue;
    const missing = reader.samples().find((sample) => {
      const name = sampleKeyText(sample.id, sample.epoch);
      const attempt = options.attempts.get(name)?.find(({ readers }) => readers.includes(reader));
      return !attempt || !isHeld(attempt, options.output.get(name), options);
    });
    if (!missing) released.add(reader.place);
    // Without transcripts it stays because that was asked for: nothing is wrong with it.
    else if (options.withEvents) problems.push(leftBecause(reader.place, missing));
  }
  const { filestore } = crash;
  // One that was not read is covered by what was: then its manifest says which attempts must be in the log.
  if (filestore && !options.readers.some(({ kind }) => kind === 'filestore')) {
    const missing = missingOfManifest(filestore, options.output);
    if (missing) problems.push(leftBecause(filestore.place, missing));
    else if (options.withEvents) released.add(filestore.place);
  }
  const databases = crash.databases.map(({ path }) => path);
  const places = filestore ? [...databases, filestore.place] : databases;
  return {
    databases: databases.filter((path) => released.has(path)),
    isFilestore: filestore !== undefined && released.has(filestore.place),
    left: places.filter((place) => !released.has(place)),
    problems,
  };
}

function isHeld(
  attempt: BufferedAttempt,
  found: ReadBackSample | undefined,
  { events }: CheckOptions,
): boolean {
  if (!found) return false;
  const record = { from: 'record', key: attempt.key, rank: attempt.rank, ...found } as const;
  if (!isSameAttempt(record, attempt)) return false;
  return found.events >= (events?.get(attempt) ?? eventsOf(attempt));
}

/** The events of the last try: those of the tries before it are in no log. */
function eventsOf(attempt: BufferedAttempt): number {
  const facts = factsOf(openCopy(attempt));
  return facts.events - facts.attemptStart;
}

function missingOfManifest(
  { manifest }: Filestore,
  output: ReadonlyMap<string, ReadBackSample>,
): SampleKey | undefined {
  for (const { summary } of manifest?.samples ?? []) {
    const key = { id: String(summary.id), epoch: Number(summary.epoch) };
    const found = output.get(sampleKeyText(key.id, key.epoch));
    const isOther = typeof summary.uuid === 'string' && found?.uuid !== summary.uuid;
    if (!found || isOther) return key;
  }
  return undefined;
}

function leftBecause(place: string, { id, epoch }: SampleKey): RecoverProblem {
  return {
    code: 'E_RECOVER_LEFT',
    message: `${place} was left where it is: what it holds of sample ${id}, epoch ${epoch}, is not in the log.`,
    sample: { id, epoch },
  };
}
