import type { ComparedSample } from '../server/api.ts';
import { compileComparedQuery } from './compared-query.ts';
import type { Wrong } from './query.ts';
import { sortCompared } from './sort-views.ts';

/** The samples that a filter leaves, sorted. Unless a sort is asked for, what went down comes first, and of that what went down most. */
export function chooseCompared(
  all: readonly ComparedSample[],
  { q, sort }: { readonly q: string; readonly sort: string },
): { readonly chosen: readonly ComparedSample[]; readonly wrong?: Wrong } {
  const { matches, wrong } = compileComparedQuery(q);
  const matching = all.filter(matches);
  const before = sort === '' ? matching.toSorted((a, b) => moveOf(b) - moveOf(a)) : matching;
  const chosen = sortCompared(before, sort);
  return wrong ? { chosen, wrong } : { chosen };
}

function moveOf({ difference }: ComparedSample): number {
  return Math.abs(difference ?? 0);
}
