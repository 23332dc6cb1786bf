import { createRouter, type RouterHistory } from '@tanstack/react-router';
import { NotFound } from './not-found.tsx';
import { RouteProblem } from './route-problem.tsx';
import { routeTree } from './routes.tsx';
import { parseSearch, stringifySearch } from './search-params.ts';

/** A static export gives a history of its own: its routes come after `#`. */
export function newRouter(history?: RouterHistory) {
  return createRouter({
    routeTree,
    parseSearch,
    stringifySearch,
    defaultPreload: 'intent',
    defaultPendingMs: 120,
    defaultNotFoundComponent: NotFound,
    defaultErrorComponent: RouteProblem,
    ...(history !== undefined && { history }),
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof newRouter>;
  }
}
