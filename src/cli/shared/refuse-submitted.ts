import { UsageError } from '../../base/index.ts';
import { findNotHome, type SharedRun } from '../../cluster/index.ts';
import { type Forecast, workOfRecord } from '../../runner/index.ts';
import type { OpenedPlace } from './shared-place.ts';

/**
 * What was submitted and is not home yet is known to no log here, so it would all be bought a second time. A courtesy: two who submit at the
 * same moment do not see each other.
 */
export async function refuseSubmitted(forecasts: readonly Forecast[], place: OpenedPlace): Promise<void> {
  const wanted = forecasts.filter(({ kept, planned }) => kept < planned).map(({ work }) => work);
  if (wanted.length === 0) return;
  const found = await findNotHome(place, ({ record }) => wanted.includes(workOfRecord(record)));
  if (!found) return;
  const { run, submission } = found;
  const { state, command } = whatBecame(found);
  throw new UsageError({
    code: 'E_SUBMITTED_ALREADY',
    message: `The same samples of eval "${submission.record.identity.eval}" were submitted as ${run} by ${submission.by}, which ${state}.`,
    hint: `Nothing was uploaded. Go on with it: ${command} ${run}. To buy all of it once more: --again.`,
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
