import { useQueries } from '@tanstack/react-query';
import { useData } from '../data/data-context.tsx';
import { askOptions } from '../data/use-ask.ts';
import { improvedQuery, regressedQuery } from './run-filters.ts';
import { printRuns } from './runs-order.ts';
import type { CompareAddress } from './use-compare.ts';

export interface RunCounts {
  /** Undefined until it is known. */
  readonly improved: number | undefined;
  readonly regressed: number | undefined;
}

/** How many samples of each other run went up and down: as many as the filter that its number stands for leaves. */
export function useRunCounts({ ids, score }: Pick<CompareAddress, 'ids' | 'score'>): readonly RunCounts[] {
  const data = useData();
  const runs = printRuns(ids);
  const others = ids.slice(1).map((_, index) => index + 1);
  const queries = others.flatMap((index) => [improvedQuery(index), regressedQuery(index)]);
  const counts = useQueries({
    queries: queries.map((q) =>
      askOptions(data, 'comparedSamples', {}, { runs, q, limit: 0, score: score === '' ? undefined : score }),
    ),
  });
  return others.map((_, at) => ({
    improved: counts[at * 2]?.data?.total,
    regressed: counts[at * 2 + 1]?.data?.total,
  }));
}
