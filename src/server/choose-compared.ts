import { definedOf } from '../base/index.ts';
import { compileComparedQuery, sortCompared, type Wrong } from '../views/index.ts';
import type { ComparedSample } from './api.ts';

/** The samples that a filter leaves, sorted. Unless a sort is asked for, what went down comes first, and of that what went down most. */
export function chooseCompared(
  all: readonly ComparedSample[],
  { q, sort }: { readonly q: string; readonly sort: string },
): { readonly chosen: readonly ComparedSample[]; readonly wrong?: Wrong } {
  const { matches, wrong } = compileComparedQuery(q);
  const matching = all.filter(matches);
  const before = sort === '' ? matching.toSorted((a, b) => moveOf(b) - moveOf(a)) : matching;
  return { chosen: sortCompared(before, sort), ...definedOf({ wrong }) };
}

function moveOf({ difference }: ComparedSample): number {
  return Math.abs(difference ?? 0);
}
