import { getRouteApi } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import { useWhileHere } from '../../app/use-while-here.ts';
import { GROUPS, type GroupName } from './matrix-model.ts';

const route = getRouteApi('/matrix');

/** What the address says of the matrix. */
export function useMatrix() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const whileHere = useWhileHere();
  const set = useCallback(
    (next: Partial<typeof search>) =>
      whileHere(() => void navigate({ search: (was) => ({ ...was, ...next }), replace: true })),
    [navigate, whileHere],
  );
  const folded = useMemo(
    () => new Set<GroupName>(GROUPS.filter((name) => search.fold.split(',').includes(name))),
    [search.fold],
  );
  const toggleFold = (name: GroupName) =>
    set({ fold: GROUPS.filter((one) => folded.has(one) !== (one === name)).join(',') });
  return { ...search, folded, set, toggleFold };
}

export type MatrixAddress = ReturnType<typeof useMatrix>;
