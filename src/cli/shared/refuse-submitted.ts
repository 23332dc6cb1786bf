import { systemClock, UsageError } from '../../base/index.ts';
import { findNotHome, type SharedRun, type Submission, yieldToRival } from '../../cluster/index.ts';
import type { RunRecord } from '../../journal/index.ts';
import { type Forecast, workOfRecord } from '../../runner/index.ts';
import type { OpenedPlace } from './shared-place.ts';

/** What was submitted and is not home yet is known to no log here, so it would all be bought a second time. */
export async function refuseSubmitted(forecasts: readonly Forecast[], place: OpenedPlace): Promise<void> {
  const wanted = forecasts.filter(({ kept, planned }) => kept < planned).map(({ work }) => work);
  if (wanted.length === 0) return;
  const found = await findNotHome(place, ({ record }) => wanted.includes(workOfRecord(record)));
  if (found) throw submittedAlready(found);
}

/** Once more when all is uploaded, which takes a while. */
export async function refuseSubmittedMeanwhile(record: RunRecord, place: OpenedPlace): Promise<void> {
  const work = workOfRecord(record);
  const found = await findNotHome(place, (one) => workOfRecord(one.record) === work);
  if (found) throw submittedAlready(found);
}

/** And once more when the submission is there, before its round is begun: of those who submit in the same moment one goes on. */
export async function refuseRival(shared: SharedRun, place: OpenedPlace): Promise<void> {
  const work = workOfRecord(shared.submission.record);
  const isSame = (one: Pick<Submission, 'record'>) => workOfRecord(one.record) === work;
  const rival = await yieldToRival(shared, place, { clock: systemClock, isSame });
  if (rival) throw submittedAlready(rival);
}

function submittedAlready(found: SharedRun): UsageError {
  const { run, submission } = found;
  const { state, command } = whatBecame(found);
  return new UsageError({
    code: 'E_SUBMITTED_ALREADY',
    message: `The same samples of eval "${submission.record.identity.eval}" were submitted as ${run} by ${submission.by}, which ${state}.`,
    hint: `Nothing was submitted. Go on with it: ${command} ${run}. To buy all of it once more: --again.`,
  });
}

function whatBecame({ isComplete, isCancelled, round }: SharedRun): {
  readonly state: string;
  readonly command: string;
} {
  if (isComplete) return { state: 'is complete and not fetched', command: 'holdfast runs fetch' };
  if (isCancelled || round === 0)
    return { state: 'was cancelled before it was complete', command: 'holdfast runs resume' };
  return { state: 'is not complete yet', command: 'holdfast runs wait' };
}
