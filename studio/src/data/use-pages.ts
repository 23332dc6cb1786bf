import { useQueries, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { AnswerOf, AskedOf } from '../../../src/server/api.ts';
import { useThrottled } from '../ui/use-delayed.ts';
import { useData } from './data-context.tsx';
import { PAGE_SIZE, type PageRange, pagesFor, placeOf } from './page-range.ts';
import type { ParamsOf } from './studio-data.ts';
import { askOptions, useAsk } from './use-ask.ts';

/** Routes whose rows are asked for in pages. */
export type PagedRoute =
  | 'runs'
  | 'samples'
  | 'comparedSamples'
  | 'sharedWorkers'
  | 'sharedLeases'
  | 'sharedFailures'
  | 'artifacts'
  | 'mergeReports';

const PAGES_KEPT = 20;
const RANGE_MS = 100;

/**
 * Rows of a list of any length, in pages around what is seen. Tell `onRange` which rows are seen; a row that has not come yet is
 * undefined. While another question is answered the first page of the last one stays, and `isStale` says so.
 */
export function usePages<Name extends PagedRoute, Row>(
  name: Name,
  params: ParamsOf<Name>,
  query: Omit<AskedOf<Name>, 'offset' | 'limit'>,
  rowsOf: (answer: AnswerOf<Name>) => readonly Row[],
) {
  const data = useData();
  const [range, setRange] = useState<PageRange>({ first: 0, last: 0 });
  const askedAt = (offset: number) => ({ ...query, offset, limit: PAGE_SIZE }) as AskedOf<Name>;
  const head = useAsk(name, params, askedAt(0), { isKept: true });
  const total = head.data?.total ?? 0;
  const offsets = pagesFor(range, total, PAGE_SIZE).filter((offset) => offset > 0);
  const others = useQueries({
    queries: head.isPlaceholderData
      ? []
      : offsets.map((offset) => askOptions(data, name, params, askedAt(offset))),
    combine: answersOf,
  });
  useForgetting(offsets.map((offset) => [name, params, askedAt(offset)]));
  const offsetsText = offsets.join();
  const pages = useMemo(() => {
    const at = offsetsText === '' ? [] : offsetsText.split(',').map(Number);
    return new Map([[0, head.data] as const, ...at.map((offset, index) => [offset, others[index]] as const)]);
  }, [head.data, others, offsetsText]);
  const rowAt = useCallback(
    (index: number): Row | undefined => {
      const { offset, within } = placeOf(index, PAGE_SIZE);
      const page = pages.get(offset);
      return page === undefined ? undefined : rowsOf(page as AnswerOf<Name>)[within];
    },
    [pages, rowsOf],
  );
  // Whoever scrolls past a thousand rows wants none of them.
  const onRange = useThrottled((first: number, last: number) => {
    setRange((was) => (was.first === first && was.last === last ? was : { first, last }));
  }, RANGE_MS);
  return { head, total, rowAt, onRange, isStale: head.isPlaceholderData };
}

function answersOf<Answer>(
  results: readonly { readonly data: Answer | undefined }[],
): (Answer | undefined)[] {
  return results.map(({ data }) => data);
}

/** Lets go of pages that were seen long ago, so that a hundred thousand rows do not gather in the browser. */
function useForgetting(keys: readonly (readonly unknown[])[]): void {
  const client = useQueryClient();
  const seen = useRef(new Map<string, readonly unknown[]>());
  const text = JSON.stringify(keys);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the text stands for the keys, which are made anew each time
  useEffect(() => {
    for (const key of keys) {
      seen.current.delete(JSON.stringify(key));
      seen.current.set(JSON.stringify(key), key);
    }
    for (const [name, queryKey] of seen.current) {
      if (seen.current.size <= PAGES_KEPT) break;
      seen.current.delete(name);
      client.removeQueries({ queryKey, exact: true });
    }
  }, [client, text]);
}
