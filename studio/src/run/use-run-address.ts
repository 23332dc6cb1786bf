import { getRouteApi } from '@tanstack/react-router';
import { useCallback } from 'react';
import { useWhileHere } from '../app/use-while-here.ts';

const route = getRouteApi('/runs/$run/{-$tab}');

export const RUN_TABS = ['samples', 'timeline', 'cost', 'config', 'raw'] as const;
export type RunTab = (typeof RUN_TABS)[number];

/** What the address says of the run, and how it is changed: in place, so that Back leaves the run. */
export function useRunAddress() {
  const { run, tab } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const whileHere = useWhileHere();
  const change = useCallback(
    (changed: Partial<typeof search>) =>
      whileHere(() => void navigate({ search: (was) => ({ ...was, ...changed }), replace: true })),
    [navigate, whileHere],
  );
  const setTab = useCallback(
    (next: RunTab, changed: Partial<typeof search> = {}) =>
      void navigate({
        params: { run, tab: next === 'samples' ? undefined : next },
        search: (was) => ({ ...was, ...changed }),
        replace: true,
      }),
    [navigate, run],
  );
  return {
    ...search,
    run,
    tab: RUN_TABS.find((known) => known === tab) ?? 'samples',
    /** As the server is asked: the first score when none is named. */
    askedScore: search.score === '' ? {} : { score: search.score },
    change,
    setTab,
  };
}

export type RunAddress = ReturnType<typeof useRunAddress>;
