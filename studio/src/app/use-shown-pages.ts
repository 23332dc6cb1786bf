import { useAsk } from '../data/use-ask.ts';
import { PAGES } from './pages.ts';

const NOT_EXPORTED: ReadonlySet<string> = new Set(['/review', '/store']);

/** In an export nothing can be judged, and there is no store. */
export function useShownPages(): readonly (typeof PAGES)[number][] {
  const { data } = useAsk('about', {}, {});
  return data?.isExport === true ? PAGES.filter(({ to }) => !NOT_EXPORTED.has(to)) : PAGES;
}
