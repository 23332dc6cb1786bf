import { ActionableError } from '../../base/index.ts';
import type { LogReader } from '../../log/index.ts';
import { type Published, type ResultsStore, restoreRun } from '../../results/index.ts';

/** What became of a log, and of a removal of its run. */
export interface PublishedVisibly extends Published {
  /** `shown again`: it was removed, and this is new of it. `hidden`: it was removed, and nothing of it is new. */
  readonly removal?: 'shown again' | 'hidden';
}

/** What is archived is neither shown nor hidden: undefined. */
async function orArchived<T>(finding: Promise<T>): Promise<T | undefined> {
  try {
    return await finding;
  } catch (error) {
    if (error instanceof ActionableError && error.code === 'E_RUN_ARCHIVED') return undefined;
    throw error;
  }
}

/**
 * Publishes a log. A new revision of a run that somebody removed is shown again: what was finished now is no longer what they
 * removed, and nobody would see it.
 */
export async function publishVisibly(
  results: ResultsStore,
  log: LogReader,
  name: string,
): Promise<PublishedVisibly> {
  const published = await results.publish(log, name);
  if (published.outcome === 'published') return published;
  const found = await orArchived(results.find(published.run));
  if (!found || found.marks.removals.length === 0) return published;
  if (published.outcome === 'there') return { ...published, removal: 'hidden' };
  await restoreRun(results, [published.run]);
  return { ...published, removal: 'shown again' };
}
