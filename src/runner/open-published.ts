import { PublishedLogs } from '../reuse/index.ts';
import type { EarlierRunsOptions } from './earlier-runs.ts';
import type { RunSettings } from './settings.ts';

/** A run that takes nothing of others does not look for them. What hinders looking hinders no run. */
export async function openPublished(
  { disk, places, earlierLogs }: RunSettings,
  { mode, isLooking = false, onNote }: EarlierRunsOptions,
): Promise<PublishedLogs | undefined> {
  if (!earlierLogs || mode === 'none') return undefined;
  const indexPath = places.state.publishedIndex;
  const published = await PublishedLogs.open(earlierLogs, { disk, indexPath, isLooking });
  for (const problem of published?.problems ?? [])
    onNote?.(`Not all published runs could be looked at: ${problem}`);
  return published;
}
