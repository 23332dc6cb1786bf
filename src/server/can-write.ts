import { UsageError } from '../base/index.ts';
import { pinnedForReading, type ResultsStore } from '../results/index.ts';
import { publishCommand } from './commands.ts';
import type { FoundRun, Studio } from './studio.ts';

/** The results, for whoever says something: E_RESULTS_NOT_BEGUN when there are none, E_RESULTS_PINNED when they are shown as they were. */
export function resultsToWrite({ results, pinned }: Studio): ResultsStore {
  if (results) return results;
  if (pinned) throw pinnedForReading(pinned);
  throw new UsageError({
    code: 'E_RESULTS_NOT_BEGUN',
    message: 'There are no results here, and what people say is kept with results.',
    hint: 'Begin them with "holdfast results init" in a repository, and start the Studio there again.',
  });
}

/** What people say is kept beside published runs, and beside no others: E_NOT_PUBLISHED. */
export function mustBePublished(found: FoundRun): void {
  if (isPublished(found)) return;
  throw new UsageError({
    code: 'E_NOT_PUBLISHED',
    message: `Run ${found.run} is not published, and what people say is kept beside published runs.`,
    hint: `Publish it first with "${publishCommand(found.item)}".`,
  });
}

export function isPublished({ inForms }: FoundRun): boolean {
  return inForms.forms.includes('published');
}
