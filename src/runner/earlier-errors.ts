import { ActionableError } from '../base/index.ts';
import type { Disk } from '../disk/index.ts';
import type { JournalReader } from '../journal/index.ts';
import { openLog, type SampleFields } from '../log/index.ts';
import { expandEvent } from '../seal/index.ts';
import { type ReuseFindings, sampleName } from './find-reusable.ts';
import type { PlannedSample } from './plan.ts';

export type EarlierError = NonNullable<SampleFields['error_retries']>[number];

/** The errors of all earlier attempts at a sample, oldest first, with what happened in them. */
export async function earlierErrors(
  disk: Disk,
  where: {
    readonly journal: JournalReader;
    readonly planned: PlannedSample;
    readonly findings: ReuseFindings;
  },
): Promise<readonly EarlierError[]> {
  const { journal, planned, findings } = where;
  const logged = findings.errored.get(sampleName(planned));
  const before = logged ? await errorsInLog(disk, logged.logPath, planned) : [];
  const attempts = journal.attemptsAt(planned.id, planned.epoch).filter(({ status }) => status === 'errored');
  return [...before, ...attempts.flatMap(({ n }) => errorInJournal(journal, n))];
}

/** Beyond this many events only the error is kept: the transcript of a failed attempt must not outgrow the sample. */
const EVENTS_MAX = 300;

function errorInJournal(journal: JournalReader, attempt: number): readonly EarlierError[] {
  const error = journal.result(attempt)?.fields.error;
  if (!error) return [];
  if (journal.eventCount(attempt) > EVENTS_MAX) return [error];
  return [
    { ...error, events: [...journal.events(attempt)].map((json) => expandEvent(journal, attempt, json)) },
  ];
}

async function errorsInLog(
  disk: Disk,
  path: string,
  planned: PlannedSample,
): Promise<readonly EarlierError[]> {
  try {
    return await readErrors(disk, path, planned);
  } catch (error) {
    if (error instanceof ActionableError) return []; // A damaged record of a failure must not stop the next attempt.
    throw error;
  }
}

async function readErrors(
  disk: Disk,
  path: string,
  planned: PlannedSample,
): Promise<readonly EarlierError[]> {
  const log = await openLog(disk, path);
  try {
    const fields = await log.sampleFields(planned.id, planned.epoch);
    const error = fields?.error;
    return [...(fields?.error_retries ?? []), ...(error ? [error] : [])];
  } finally {
    await log.close();
  }
}
