import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';
import type { z } from 'zod';
import { useWhileHere } from '../app/use-while-here.ts';
import type { search as sampleSearch } from './sample-search.ts';

export type SampleSearch = z.output<typeof sampleSearch>;

/** What the address says beside which sample it is; changes replace it, so that Back leads to where one came from. */
export function useSampleSearch() {
  const search = useSearch({ from: '/runs/$run/s/$sample/$epoch' });
  const navigate = useNavigate({ from: '/runs/$run/s/$sample/$epoch' });
  const whileHere = useWhileHere();
  const set = useCallback(
    (change: Partial<SampleSearch>) =>
      whileHere(() => void navigate({ search: (before) => ({ ...before, ...change }), replace: true })),
    [navigate, whileHere],
  );
  return { search, set };
}
