import { useQueries } from '@tanstack/react-query';
import type { ComparedSample } from '../../../src/server/api.ts';
import { useData } from '../data/data-context.tsx';
import { askOptions, useAsk } from '../data/use-ask.ts';
import { printRuns } from './runs-order.ts';
import type { CompareAddress } from './use-compare.ts';

const PAGE = 1_000;
/** A plot of more samples than these tells nothing else. */
const SAMPLES_MAX = 10_000;

/** All samples of a comparison, as far as a plot needs them. */
export function useAllCompared({ ids, score }: Pick<CompareAddress, 'ids' | 'score'>) {
  const data = useData();
  const asked = (offset: number) => ({
    runs: printRuns(ids),
    score: score === '' ? undefined : score,
    offset,
    limit: PAGE,
  });
  const first = useAsk('comparedSamples', {}, asked(0));
  const all = first.data?.total ?? 0;
  const wanted = Math.min(all, SAMPLES_MAX);
  const offsets = Array.from(
    { length: Math.max(0, Math.ceil(wanted / PAGE) - 1) },
    (_, at) => (at + 1) * PAGE,
  );
  const rest = useQueries({
    queries: offsets.map((offset) => askOptions(data, 'comparedSamples', {}, asked(offset))),
  });
  const pages = [first, ...rest];
  const samples: readonly ComparedSample[] = pages.flatMap((page) => page.data?.samples ?? []);
  const error: unknown = pages.find((page) => page.isError)?.error ?? undefined;
  return {
    samples,
    all,
    error,
    isWhole: first.data !== undefined && samples.length === all,
    retry: () => void Promise.all(pages.map((page) => page.refetch())),
  };
}
