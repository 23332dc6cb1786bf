/** Every address of the app. A page is loaded when it is opened; only what an address may say is known before. */
import {
  createRootRouteWithContext,
  createRoute,
  lazyRouteComponent,
  redirect,
  retainSearchParams,
  stripSearchParams,
} from '@tanstack/react-router';
import { z } from 'zod';
import { segmentOf, textOfSegment } from '../../../src/views/index.ts';
import { search as artifactsSearch } from '../artifacts/artifacts-search.ts';
import { search as compareSampleSearch } from '../compare/compare-sample-search.ts';
import { search as compareSearch } from '../compare/compare-search.ts';
import { search as matrixSearch } from '../compare/matrix-search.ts';
import { PAGE_SIZE } from '../data/page-range.ts';
import { askOptions } from '../data/use-ask.ts';
import { search as evalSearch } from '../evals/eval-search.ts';
import { search as sampleHistorySearch } from '../evals/sample-history-search.ts';
import { search as reviewSearch } from '../review/review-search.ts';
import { search as runSearch } from '../run/run-search.ts';
import { askedRuns, search as runsSearch } from '../runs/runs-search.ts';
import { search as sampleSearch } from '../sample/sample-search.ts';
import { search as searchSearch } from '../search/search-search.ts';
import { search as sharedRunSearch } from '../shared/shared-run-search.ts';
import type { RouterContext } from './router-context.ts';
import { Shell } from './shell.tsx';

/** The commit of the results that an address is pinned to stays with every step. Whatever it is, the server is asked for it. */
/** Any text may be the id of a sample, or the name of an eval: also one that means something else in an address. */
const asSegments = <Key extends string>(...keys: readonly Key[]) => {
  const each = (change: (text: string) => string) => (params: Readonly<Record<Key, string>>) =>
    Object.fromEntries(keys.map((key) => [key, change(params[key] ?? '')])) as Record<Key, string>;
  return { parse: each(textOfSegment), stringify: each(segmentOf) };
};

const root = createRootRouteWithContext<RouterContext>()({
  validateSearch: z.object({ at: z.string().optional().catch(undefined) }),
  search: { middlewares: [retainSearchParams(['at'])] },
  component: Shell,
});
const under = { getParentRoute: () => root } as const;

const home = createRoute({
  ...under,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/runs', replace: true });
  },
});
const runs = createRoute({
  ...under,
  path: '/runs',
  validateSearch: runsSearch,
  // Rows are asked for while the page that shows them is loaded.
  loaderDeps: ({ search: { q, sort, group } }) => ({ q, sort, group }),
  loader: ({ context: { client, data }, deps }) => {
    const asked = { ...askedRuns(deps), offset: 0, limit: PAGE_SIZE };
    void client.prefetchQuery(askOptions(data, 'runs', {}, asked));
  },
  component: lazyRouteComponent(() => import('../runs/runs-page.tsx'), 'Page'),
});
/** The tabs of a run are `timeline`, `cost`, `config` and `raw`; its samples are the page without one. */
const run = createRoute({
  ...under,
  path: '/runs/$run/{-$tab}',
  validateSearch: runSearch,
  component: lazyRouteComponent(() => import('../run/run-page.tsx'), 'Page'),
});
const sample = createRoute({
  ...under,
  path: '/runs/$run/s/$sample/$epoch',
  params: asSegments('run', 'sample', 'epoch'),
  validateSearch: sampleSearch,
  search: { middlewares: [stripSearchParams({ tab: 'transcript' })] },
  component: lazyRouteComponent(() => import('../sample/sample-page.tsx'), 'Page'),
});
const compare = createRoute({
  ...under,
  path: '/compare',
  validateSearch: compareSearch,
  search: { middlewares: [stripSearchParams({ view: 'table' })] },
  component: lazyRouteComponent(() => import('../compare/compare-page.tsx'), 'Page'),
});
const compareSample = createRoute({
  ...under,
  path: '/compare/s/$sample',
  params: asSegments('sample'),
  validateSearch: compareSampleSearch,
  search: { middlewares: [stripSearchParams({ view: 'turns' })] },
  component: lazyRouteComponent(() => import('../compare/compare-sample-page.tsx'), 'Page'),
});
const matrix = createRoute({
  ...under,
  path: '/matrix',
  validateSearch: matrixSearch,
  search: { middlewares: [stripSearchParams({ view: 'picture' })] },
  component: lazyRouteComponent(() => import('../compare/matrix-page.tsx'), 'Page'),
});
const evals = createRoute({
  ...under,
  path: '/evals',
  component: lazyRouteComponent(() => import('../evals/evals-page.tsx'), 'Page'),
});
const evalRoute = createRoute({
  ...under,
  path: '/evals/$eval',
  params: asSegments('eval'),
  validateSearch: evalSearch,
  component: lazyRouteComponent(() => import('../evals/eval-page.tsx'), 'Page'),
});
const sampleHistory = createRoute({
  ...under,
  path: '/evals/$eval/s/$sample',
  params: asSegments('eval', 'sample'),
  validateSearch: sampleHistorySearch,
  component: lazyRouteComponent(() => import('../evals/sample-history-page.tsx'), 'Page'),
});
const search = createRoute({
  ...under,
  path: '/search',
  validateSearch: searchSearch,
  search: { middlewares: [stripSearchParams({ in: 'transcripts' })] },
  component: lazyRouteComponent(() => import('../search/search-page.tsx'), 'Page'),
});
const review = createRoute({
  ...under,
  path: '/review',
  validateSearch: reviewSearch,
  search: { middlewares: [stripSearchParams({ show: 'all' })] },
  component: lazyRouteComponent(() => import('../review/review-page.tsx'), 'Page'),
});
const shared = createRoute({
  ...under,
  path: '/shared',
  component: lazyRouteComponent(() => import('../shared/shared-page.tsx'), 'Page'),
});
const sharedRun = createRoute({
  ...under,
  path: '/shared/$run',
  params: asSegments('run'),
  validateSearch: sharedRunSearch,
  search: { middlewares: [stripSearchParams({ part: 'workers' })] },
  component: lazyRouteComponent(() => import('../shared/shared-run-page.tsx'), 'Page'),
});
const artifacts = createRoute({
  ...under,
  path: '/artifacts',
  validateSearch: artifactsSearch,
  search: { middlewares: [stripSearchParams({ q: '' })] },
  component: lazyRouteComponent(() => import('../artifacts/artifacts-page.tsx'), 'Page'),
});
const artifact = createRoute({
  ...under,
  path: '/artifacts/r/$recipe',
  params: asSegments('recipe'),
  component: lazyRouteComponent(() => import('../artifacts/artifact-page.tsx'), 'Page'),
});
const merges = createRoute({
  ...under,
  path: '/artifacts/merges',
  component: lazyRouteComponent(() => import('../artifacts/merges-page.tsx'), 'Page'),
});
const merge = createRoute({
  ...under,
  path: '/artifacts/merges/$report',
  params: asSegments('report'),
  component: lazyRouteComponent(() => import('../artifacts/merge-page.tsx'), 'Page'),
});
const store = createRoute({
  ...under,
  path: '/store',
  component: lazyRouteComponent(() => import('../store/store-page.tsx'), 'Page'),
});

export const routeTree = root.addChildren([
  home,
  runs,
  run,
  sample,
  compare,
  compareSample,
  matrix,
  evals,
  evalRoute,
  sampleHistory,
  search,
  review,
  shared,
  sharedRun,
  artifacts,
  artifact,
  merges,
  merge,
  store,
]);
