import { useMatch, useRouter } from '@tanstack/react-router';
import { useCallback } from 'react';

/**
 * Changes the address only while it is that of the page. A page that is left is there until the next one is loaded; what it writes
 * then, a moment after a key, would call everybody back, to an address that nobody has.
 */
export function useWhileHere(): (change: () => void) => void {
  const router = useRouter();
  const { routeId, params } = useMatch({ strict: false });
  const page = nameOf(routeId, params);
  return useCallback(
    (change) => {
      const next = router.matchRoutes(router.latestLocation).at(-1);
      if (next !== undefined && nameOf(next.routeId, next.params) === page) change();
    },
    [router, page],
  );
}

/** Tabs of a run are one page. */
function nameOf(routeId: string, params: object): string {
  const { tab: _, ...others }: { readonly tab?: unknown } = params;
  return `${routeId} ${JSON.stringify(others)}`;
}
