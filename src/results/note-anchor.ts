import { ActionableError, definedOf, didYouMean, type SampleKey, UsageError } from '../base/index.ts';
import type { LogReader } from '../log/index.ts';
import type { NoteAnchor } from './note.ts';

/** What was said of a place that a note is to be about. */
export interface GivenAnchor {
  readonly sample: string;
  readonly epoch: number;
  readonly event: string | undefined;
}

/**
 * The place in a run that a note is about, as the run has it: a note on something that is not there would be found by nobody. What
 * cannot be read, because it is damaged or not kept, is believed.
 */
export async function anchorIn(log: LogReader, given: GivenAnchor): Promise<NoteAnchor> {
  const { sample, epoch, event } = given;
  const keys = await orUndefined(() => log.samples());
  const found = keys && findSample(keys, given, log.path);
  if (found && event !== undefined) await checkEvent(log, found, event);
  return { sample: found?.id ?? sample, epoch, ...definedOf({ event }) };
}

function findSample(keys: readonly SampleKey[], { sample, epoch }: GivenAnchor, run: string): SampleKey {
  const ofSample = keys.filter(({ id }) => String(id) === sample);
  const found = ofSample.find((key) => key.epoch === epoch);
  if (found) return found;
  const names = [...new Set(keys.map(({ id }) => String(id)))];
  throw new UsageError({
    code: 'E_SAMPLE_NONE',
    message:
      ofSample.length === 0
        ? `Run ${run} has no sample ${sample}${didYouMean(sample, names)}`.replace(/([^?])$/, '$1.')
        : `Sample ${sample} of run ${run} has no epoch ${epoch}.`,
    hint:
      ofSample.length === 0
        ? `It has ${someOf(names)}.`
        : `It has ${someOf(ofSample.map((key) => String(key.epoch)))}.`,
  });
}

async function checkEvent(log: LogReader, { id, epoch }: SampleKey, event: string): Promise<void> {
  const uuids = await orUndefined(async () => {
    const found: string[] = [];
    for await (const { uuid } of log.events(id, epoch)) {
      if (uuid === event) return undefined;
      if (uuid !== undefined && uuid !== null) found.push(uuid);
    }
    return found;
  });
  if (!uuids) return;
  throw new UsageError({
    code: 'E_EVENT_NONE',
    message: `Sample ${id} of run ${log.path} has no event ${event}${didYouMean(event, uuids)}`.replace(
      /([^?])$/,
      '$1.',
    ),
    hint: uuids.length === 0 ? 'Its events have no ids: leave --event out.' : `It has ${someOf(uuids)}.`,
  });
}

async function orUndefined<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    // Damage and what is not kept are told by whoever opens the run: here nothing can be checked.
    if (!(error instanceof ActionableError)) throw error;
    return undefined;
  }
}

const NAMES_MAX = 5;

function someOf(names: readonly string[]): string {
  const rest = names.length - NAMES_MAX;
  return `${names.slice(0, NAMES_MAX).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}
