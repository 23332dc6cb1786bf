import { useAsk } from '../data/use-ask.ts';
import { PAGES } from './pages.ts';

const NOT_EXPORTED: ReadonlySet<string> = new Set(['/review', '/shared', '/artifacts', '/store']);

/** In an export nothing can be judged, and there is neither a store nor a bucket nor a cache. */
export function useShownPages(): readonly (typeof PAGES)[number][] {
  const { data } = useAsk('about', {}, {});
  return data?.isExport === true ? PAGES.filter(({ to }) => !NOT_EXPORTED.has(to)) : PAGES;
}
