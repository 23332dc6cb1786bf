import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, use, useEffect, useMemo, useRef, useState } from 'react';
import type { AnswerOf, LiveEvent } from '../../../src/server/api.ts';
import { isConcerned, isConcernedThen } from './concerned.ts';
import type { LiveState, StudioData } from './studio-data.ts';

interface DataHere {
  readonly data: StudioData;
  readonly connection: LiveState;
  readonly retry: () => void;
  readonly listen: (listener: (event: LiveEvent) => void) => () => void;
}

const Here = createContext<DataHere | undefined>(undefined);
/** Events come in crowds while a run is under way; answers are asked for again once for all of them. */
const GATHER_MS = 400;

/** Gives everything below it the data, and keeps what is shown up to date. */
export function DataProvider({
  data,
  children,
}: {
  readonly data: StudioData;
  readonly children: ReactNode;
}) {
  const client = useQueryClient();
  const [connection, setConnection] = useState<LiveState>({ is: 'idle' });
  const listeners = useRef(new Set<(event: LiveEvent) => void>());
  const retry = useRef<() => void>(undefined);

  useEffect(() => {
    let gathered: LiveEvent[] = [];
    let wasLost = false;
    const isPinned = data.pin !== undefined;
    const isMeant = isPinned ? isConcernedThen : isConcerned;
    const renew = () => {
      const events = gathered;
      gathered = [];
      void client.invalidateQueries({
        predicate: ({ queryKey }) => events.some((event) => isMeant(event, queryKey)),
      });
    };
    const live = data.live({
      onEvent: (event) => {
        if (!isOldNews(client, event)) {
          if (gathered.length === 0) setTimeout(renew, GATHER_MS);
          gathered.push(event);
        }
        // Runs as they were follow nothing.
        if (!isPinned) for (const listener of listeners.current) listener(event);
      },
      onState: (state) => {
        setConnection(state);
        if (state.is === 'open' && wasLost) void client.invalidateQueries();
        wasLost = state.is === 'lost';
      },
    });
    retry.current = live.retry;
    return live.stop;
  }, [client, data]);

  const here = useMemo(
    () => ({
      data,
      connection,
      retry: () => retry.current?.(),
      listen: (listener: (event: LiveEvent) => void) => {
        listeners.current.add(listener);
        return () => listeners.current.delete(listener);
      },
    }),
    [data, connection],
  );
  return <Here value={here}>{children}</Here>;
}

/** Each stream begins with how much of the store has been read. When it was all of it before, nothing is another because of that. */
function isOldNews(client: QueryClient, event: LiveEvent): boolean {
  if (event.kind !== 'index' || !event.index.isWhole) return false;
  const pages = client.getQueriesData<AnswerOf<'runs'>>({ queryKey: ['runs'] });
  return pages.every(([, page]) => page?.index.isWhole === true);
}

function useHere(): DataHere {
  const here = use(Here);
  if (here === undefined) throw new Error('There is no DataProvider above this component');
  return here;
}

export function useData(): StudioData {
  return useHere().data;
}

export function useConnection(): { readonly state: LiveState; readonly retry: () => void } {
  const { connection, retry } = useHere();
  return { state: connection, retry };
}

/** Hears what happens. Queries are asked again without it; it is for what follows a run by itself. */
export function useLive(listener: (event: LiveEvent) => void): void {
  const { listen } = useHere();
  const latest = useRef(listener);
  useEffect(() => {
    latest.current = listener;
  });
  useEffect(() => listen((event) => latest.current(event)), [listen]);
}
