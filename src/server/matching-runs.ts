import { UsageError } from '../base/index.ts';
import { compileRunQuery, type Wrong } from '../views/index.ts';
import type { RunItem } from './api.ts';
import type { Studio } from './studio.ts';

export interface MatchingRuns {
  /** Newest first. */
  readonly items: readonly RunItem[];
  readonly wrong?: Wrong;
}

/** The runs of the whole store that a filter leaves. */
export async function matchingRuns(studio: Studio, q: string, signal: AbortSignal): Promise<MatchingRuns> {
  await studio.index.whole(signal);
  const { matches, wrong } = compileRunQuery(q, { nowMs: studio.clock.nowMs() });
  const items = studio.index.items().filter(matches);
  return wrong ? { items, wrong } : { items };
}

/** Where an answer has no place for what is wrong with a filter. */
export function mustBeRight({ items, wrong }: MatchingRuns): readonly RunItem[] {
  if (!wrong) return items;
  throw new UsageError({
    code: 'E_FILTER',
    message: `The filter is not understood at character ${wrong.at + 1}: ${wrong.message}`,
    hint: 'Write words, or fields such as eval:name, target:name, tag:name, since:30d and score>0.5.',
  });
}
