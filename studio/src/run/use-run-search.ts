import { getRouteApi } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import { z } from 'zod';
import { usePersisted } from '../ui/use-persisted.ts';
import { tabOf } from './run-search.ts';

const route = getRouteApi('/runs/$run/{-$tab}');
const columnNames = z.array(z.string());

/** What the address says of a run, and how it is changed: in place, so that Back leads to where one came from. */
export function useRunSearch() {
  const search = route.useSearch();
  const { run, tab } = route.useParams();
  const navigate = route.useNavigate();
  const [kept, keep] = usePersisted('holdfast.columns.samples', columnNames, []);
  const change = useCallback(
    (changed: Partial<typeof search>) =>
      void navigate({ search: (was) => ({ ...was, ...changed }), replace: true }),
    [navigate],
  );
  const namesText = search.cols === '' ? kept.join() : search.cols;
  const columnNamesChosen = useMemo(() => (namesText === '' ? [] : namesText.split(',')), [namesText]);
  const setColumns = (chosen: readonly string[]) => {
    keep([...chosen]);
    change({ cols: chosen.join() });
  };
  const asked = { q: search.q, sort: search.sort, ...(search.score !== '' && { score: search.score }) };
  return { ...search, run, tab: tabOf(tab), asked, columnNames: columnNamesChosen, change, setColumns };
}

export type RunSearch = ReturnType<typeof useRunSearch>;
