import { Link, useNavigate } from '@tanstack/react-router';
import type { RunView } from '../../../src/server/api.ts';
import { PageFrame } from '../app/page-frame.tsx';
import { useAsk } from '../data/use-ask.ts';
import { formatCount } from '../ui/format.ts';
import { Problem } from '../ui/problem.tsx';
import { SkeletonRows } from '../ui/skeleton.tsx';
import { TabLinks, tabLinkClass } from '../ui/tabs.tsx';
import { useKeys } from '../ui/use-keys.ts';
import { ConfigTab } from './config-tab.tsx';
import { CostTab } from './cost/cost-tab.tsx';
import { RunCards } from './overview/run-cards.tsx';
import { RunHead } from './overview/run-head.tsx';
import { RunNotices } from './overview/run-notices.tsx';
import { RawTab } from './raw-tab.tsx';
import styles from './run-page.module.css';
import { RUN_TABS, type RunTab } from './run-search.ts';
import { SamplesTab } from './samples/samples-tab.tsx';
import { TimelineTab } from './timeline/timeline-tab.tsx';
import { type RunSearch, useRunSearch } from './use-run-search.ts';

/** One run: how it went, and everything in it. */
export function Page() {
  const view = useRunSearch();
  const query = view.score === '' ? {} : { score: view.score };
  const run = useAsk('run', { run: view.run }, query, { isKept: true });
  const { data } = run;
  const navigate = useNavigate();
  useKeys('Run', [
    ...RUN_TABS.map((tab, at) => ({
      keys: String(at + 1),
      what: `Tab ${tab}`,
      run: () => void navigate({ ...tabLink(view.run, tab), replace: true }),
    })),
    { keys: 'u', what: 'Up to the runs', run: () => void navigate({ to: '/runs' }) },
  ]);
  const title =
    data?.item.facts === undefined ? view.run : `${data.item.facts.eval} · ${data.item.facts.target}`;
  if (data === undefined)
    return (
      <PageFrame title={title}>
        {run.isError ? (
          <Problem error={run.error} onRetry={() => void run.refetch()} what="This run" />
        ) : (
          <SkeletonRows rows={20}>Reading the run …</SkeletonRows>
        )}
      </PageFrame>
    );
  return (
    <PageFrame title={title} head={<RunHead run={data} />}>
      <RunNotices run={data} error={run.isError ? run.error : undefined} />
      {view.tab === 'samples' && <RunCards run={data} view={view} />}
      <RunTabs run={data} view={view} />
      <Part tab={view.tab} run={data} view={view} />
    </PageFrame>
  );
}

function Part({ tab, run, view }: { readonly tab: RunTab; readonly run: RunView; readonly view: RunSearch }) {
  if (tab === 'timeline') return <TimelineTab view={view} />;
  if (tab === 'cost') return <CostTab run={run} />;
  if (tab === 'config') return <ConfigTab run={run} view={view} />;
  if (tab === 'raw') return <RawTab run={run} />;
  return <SamplesTab view={view} run={run} />;
}

function tabLink(run: string, tab: RunTab) {
  return {
    to: '/runs/$run/{-$tab}',
    params: { run, tab: tab === 'samples' ? undefined : tab },
    search: true,
  } as const;
}

function RunTabs({ run, view }: { readonly run: RunView; readonly view: RunSearch }) {
  const changes = run.config.filter(({ isChanged }) => isChanged).length;
  const labels: Record<RunTab, string> = {
    samples: 'Samples',
    timeline: 'Timeline',
    cost: 'Cost',
    config:
      changes === 0 ? 'Config' : `Config (${formatCount(changes)} ${changes === 1 ? 'change' : 'changes'})`,
    raw: 'Raw',
  };
  return (
    <div className={styles.tabs}>
      <TabLinks label="Parts of the run">
        {RUN_TABS.map((tab) => (
          <Link
            key={tab}
            {...tabLink(view.run, tab)}
            replace
            className={tabLinkClass}
            aria-current={tab === view.tab ? 'page' : undefined}
            activeProps={{}}
          >
            {labels[tab]}
          </Link>
        ))}
      </TabLinks>
    </div>
  );
}
