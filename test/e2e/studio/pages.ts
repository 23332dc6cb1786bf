import { git } from '../../sim/results-repo.ts';
import type { StudioStore } from '../../sim/studio/store.ts';

export interface StudioPage {
  readonly name: string;
  readonly path: string;
  /** What is there once the page has its data. */
  readonly shows: string;
}

/** Some of them as they were at a commit, which an export has not. */
export function pinnedPagesOf({ dir, runs }: StudioStore): readonly StudioPage[] {
  const commit = git(dir, 'rev-parse', 'holdfast/results');
  const older = git(dir, 'rev-parse', 'holdfast/results~1');
  const [run = ''] = runs;
  return [
    { name: 'pinned-runs', path: `/runs?at=${commit}`, shows: 'These are the newest.' },
    { name: 'pinned-run', path: `/runs/${run}?at=${older}`, shows: 'show them' },
    { name: 'pinned-store', path: `/store?at=${older}`, shows: 'as they were at' },
  ];
}

/** Every page of the Studio, on the generated store. */
export function pagesOf({ runs }: StudioStore): readonly StudioPage[] {
  const swe = runs.filter((run) => /T0(9|8)(45|30|00)/.test(run));
  const [first = '', second = '', third = ''] = swe.slice(-3).reverse();
  const id = encodeURIComponent('django-4000');
  return [
    { name: 'runs', path: '/runs', shows: 'swe-lite' },
    { name: 'runs-filtered', path: '/runs?q=eval%3Aswe-lite%20score%3E0.6&sort=-cost', shows: 'swe-lite' },
    { name: 'run', path: `/runs/${first}`, shows: 'django-4000' },
    { name: 'run-failing', path: `/runs/${first}?q=is%3Afailing`, shows: 'of 40' },
    { name: 'run-timeline', path: `/runs/${first}/timeline`, shows: 'Timeline' },
    { name: 'run-cost', path: `/runs/${first}/cost`, shows: 'Cost' },
    { name: 'run-config', path: `/runs/${first}/config`, shows: 'Config' },
    { name: 'run-raw', path: `/runs/${first}/raw`, shows: 'task' },
    { name: 'sample', path: `/runs/${first}/s/${id}/1`, shows: 'I will run the failing test first' },
    { name: 'sample-messages', path: `/runs/${first}/s/${id}/1?tab=messages`, shows: 'Issue #4000' },
    { name: 'sample-scores', path: `/runs/${first}/s/${id}/1?tab=scores`, shows: 'tests_pass' },
    { name: 'sample-raw', path: `/runs/${first}/s/${id}/1?tab=raw`, shows: 'metadata' },
    { name: 'compare', path: `/compare?runs=${second},${first}`, shows: 'django' },
    {
      name: 'compare-plots',
      path: `/compare?runs=${third},${second},${first}&view=plots`,
      shows: 'tests_pass',
    },
    { name: 'compare-sample', path: `/compare/s/${id}?runs=${second},${first}`, shows: 'django-4000' },
    { name: 'matrix', path: '/matrix?q=eval%3Aswe-lite', shows: 'samples' },
    { name: 'evals', path: '/evals', shows: 'word-problems' },
    { name: 'eval', path: '/evals/swe-lite', shows: 'claude-opus-5' },
    { name: 'sample-history', path: `/evals/swe-lite/s/${id}`, shows: 'django-4000' },
    { name: 'search', path: '/search?text=signature', shows: 'signature' },
    { name: 'review', path: `/review?run=${first}`, shows: 'django' },
    { name: 'store', path: '/store', shows: 'holdfast/results' },
  ];
}
