import { createRouter, type RouterHistory } from '@tanstack/react-router';
import { NotFound } from './not-found.tsx';
import { RouteProblem } from './route-problem.tsx';
import type { RouterContext } from './router-context.ts';
import { routeTree } from './routes.tsx';
import { parseSearch, stringifySearch } from './search-params.ts';

/** A static export gives a history of its own: its routes come after `#`. */
export function newRouter(context: RouterContext, history?: RouterHistory) {
  return createRouter({
    routeTree,
    context,
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
