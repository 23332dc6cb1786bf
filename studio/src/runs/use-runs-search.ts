import { getRouteApi } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import { z } from 'zod';
import { useWhileHere } from '../app/use-while-here.ts';
import { usePersisted } from '../ui/use-persisted.ts';
import { columnsNamed } from './columns.ts';
import { askedRuns } from './runs-search.ts';

const route = getRouteApi('/runs');
const columnNames = z.array(z.string());

/** What the address says of the list, and how it is changed: in place, so that Back leaves the list. */
export function useRunsSearch() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const whileHere = useWhileHere();
  const [kept, keep] = usePersisted('holdfast.columns.runs', columnNames, []);
  const change = useCallback(
    (changed: Partial<typeof search>) =>
      whileHere(() => void navigate({ search: (was) => ({ ...was, ...changed }), replace: true })),
    [navigate, whileHere],
  );
  const names = search.cols === '' ? kept : search.cols.split(',');
  const namesText = names.join(',');
  const columns = useMemo(() => columnsNamed(namesText === '' ? [] : namesText.split(',')), [namesText]);
  const setColumns = (chosen: readonly string[]) => {
    keep([...chosen]);
    change({ cols: chosen.join(',') });
  };
  const isGrouped = search.group === 'eval';
  return { ...search, asked: askedRuns(search), isGrouped, columns, change, setColumns };
}
