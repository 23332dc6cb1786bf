import { queryOptions, useQuery } from '@tanstack/react-query';
import type { AnswerOf, AskedOf } from '../../../src/server/api.ts';
import { useData } from './data-context.tsx';
import type { AskRoute, ParamsOf, StudioData } from './studio-data.ts';

export interface AskOptions {
  /** Show the answer to the last question until the next has come. */
  readonly isKept?: boolean;
  readonly isOff?: boolean;
}

/** What is asked, for hooks of React Query that take it: `useQueries`, `prefetchQuery`. */
export function askOptions<Name extends AskRoute>(
  data: StudioData,
  name: Name,
  params: ParamsOf<Name>,
  query: AskedOf<Name>,
) {
  return queryOptions<AnswerOf<Name>>({
    queryKey: [name, params, query],
    queryFn: ({ signal }) => data.ask(name, { params, query }, signal),
  });
}

/** Asks the server, and asks again when something happened that concerns the answer. */
export function useAsk<Name extends AskRoute>(
  name: Name,
  params: ParamsOf<Name>,
  query: AskedOf<Name>,
  options: AskOptions = {},
) {
  const data = useData();
  return useQuery({
    ...askOptions(data, name, params, query),
    enabled: options.isOff !== true,
    placeholderData: (previous) => (options.isKept === true ? previous : undefined),
  });
}
