import { ActionableError } from '../base/index.ts';
import type { JournalReader, RunJournals } from '../journal/index.ts';
import type { SampleFields } from '../log/index.ts';
import type { EarlierRuns } from './earlier-runs.ts';
import type { PlannedSample } from './plan.ts';

export type EarlierError = NonNullable<SampleFields['error_retries']>[number];

/** The errors of all earlier attempts at a sample, oldest first, with what happened in them. */
export async function earlierErrors(
  journals: RunJournals,
  planned: PlannedSample,
  earlier: EarlierRuns,
): Promise<readonly EarlierError[]> {
  const log = earlier.failure(planned);
  const before = log === undefined ? [] : await errorsInLog(earlier, log, planned);
  const attempts = journals
    .attemptsAt(planned.id, planned.epoch)
    .filter(({ status }) => status === 'errored');
  return [...before, ...attempts.flatMap(({ source, n }) => errorInJournal(source, n))];
}

/** Beyond this many events only the error is kept: the transcript of a failed attempt must not outgrow the sample. */
const EVENTS_MAX = 300;

function errorInJournal(journal: JournalReader, attempt: number): readonly EarlierError[] {
  const error = journal.result(attempt)?.fields.error;
  if (!error) return [];
  if (journal.eventCount(attempt) > EVENTS_MAX) return [error];
  return [
    { ...error, events: [...journal.events(attempt)].map((json) => journal.expandEvent(attempt, json)) },
  ];
}

async function errorsInLog(
  earlier: EarlierRuns,
  name: string,
  planned: PlannedSample,
): Promise<readonly EarlierError[]> {
  try {
    const log = await earlier.log(name);
    const fields = await log?.sampleFields(planned.id, planned.epoch);
    const error = fields?.error;
    return [...(fields?.error_retries ?? []), ...(error ? [error] : [])];
  } catch (error) {
    if (error instanceof ActionableError) return []; // A damaged record of a failure must not stop the next attempt.
    throw error;
  }
}
