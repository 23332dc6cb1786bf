import { getRouteApi } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import type { z } from 'zod';
import { useWhileHere } from '../app/use-while-here.ts';
import type { search as schema } from './compare-search.ts';
import { parseRuns, printRuns } from './runs-order.ts';

const route = getRouteApi('/compare');

type Search = z.output<typeof schema>;

export interface CompareAddress extends Search {
  readonly ids: readonly string[];
  /** Filters, sorts and the order of runs take the place of what was: Back leads to where one came from. */
  readonly set: (next: Partial<Search>) => void;
  readonly setRuns: (ids: readonly string[]) => void;
}

/** Everything that the page shows is in its address. */
export function useCompare(): CompareAddress {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const whileHere = useWhileHere();
  const set = useCallback(
    (next: Partial<Search>) =>
      whileHere(() => void navigate({ search: (was: Search) => ({ ...was, ...next }), replace: true })),
    [navigate, whileHere],
  );
  const setRuns = useCallback((ids: readonly string[]) => set({ runs: printRuns(ids) }), [set]);
  const ids = useMemo(() => parseRuns(search.runs), [search.runs]);
  return { ...search, ids, set, setRuns };
}
