import { useEffect, useMemo, useSyncExternalStore } from 'react';
import { useData } from '../data/data-context.tsx';
import type { StudioData } from '../data/studio-data.ts';
import { SearchSession, type SearchState } from './search-session.ts';

export interface SearchAsked {
  readonly text: string;
  readonly in: 'transcripts' | 'inputs' | 'notes';
  readonly q: string;
}

/** More are not fetched: whoever has so many has to narrow the search. */
export const HITS_MAX = 500;

/** Searches that ended, so that Back shows what was there without searching again. */
const KEPT = 8;
const kept = new Map<string, SearchSession>();

function sessionOf(data: StudioData, asked: SearchAsked, attempt: number): SearchSession {
  const key = JSON.stringify([asked, attempt]);
  const session = kept.get(key) ?? new SearchSession(data, { ...asked, limit: HITS_MAX });
  kept.delete(key);
  kept.set(key, session);
  for (const [old, one] of kept) {
    if (kept.size <= KEPT) break;
    one.stop();
    kept.delete(old);
  }
  return session;
}

function forget(session: SearchSession): void {
  for (const [key, one] of kept) if (one === session) kept.delete(key);
}

const nothing = () => () => undefined;

/** The search that the address asks for; undefined when it asks for nothing. A page that is left stops it. */
export function useSearchResults(
  asked: SearchAsked,
  attempt: number,
): { readonly state: SearchState | undefined; readonly stop: () => void } {
  const data = useData();
  const { text, in: place, q } = asked;
  const session = useMemo(
    () => (text === '' ? undefined : sessionOf(data, { text, in: place, q }, attempt)),
    [data, text, place, q, attempt],
  );
  const state = useSyncExternalStore(session?.watch ?? nothing, () => session?.state);
  useEffect(() => {
    if (session === undefined) return;
    // React may take a page away and put it back at once; only a page that stays away stops its search.
    return () =>
      void setTimeout(() => {
        if (session.isWatched || session.state.is !== 'searching') return;
        session.stop();
        forget(session);
      }, 0);
  }, [session]);
  return { state, stop: session?.stop ?? (() => undefined) };
}
