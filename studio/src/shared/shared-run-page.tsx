import { getRouteApi } from '@tanstack/react-router';
import { useRef } from 'react';
import type { SharedRunView } from '../../../src/server/api.ts';
import { PageFrame } from '../app/page-frame.tsx';
import { useAsk } from '../data/use-ask.ts';
import { useAskAgain } from '../data/use-ask-again.ts';
import { formatCount } from '../ui/format.ts';
import { Problem } from '../ui/problem.tsx';
import { SkeletonRows } from '../ui/skeleton.tsx';
import { Tabs } from '../ui/tabs.tsx';
import { useKeys } from '../ui/use-keys.ts';
import { BuildsTab } from './builds-tab.tsx';
import { FailuresTab } from './failures-tab.tsx';
import { LeasesTab } from './leases-tab.tsx';
import { RatesChart } from './rates-chart.tsx';
import { RoundsTab } from './rounds-tab.tsx';
import { SharedHead } from './shared-head.tsx';
import { SharedOverview } from './shared-overview.tsx';
import styles from './shared-run-page.module.css';
import { type SharedTab, TABS } from './shared-run-search.ts';
import { isGoingOn } from './shared-words.ts';
import { WorkersTab } from './workers-tab.tsx';

const route = getRouteApi('/shared/$run');
/** How often it is looked at, while it goes on and when it is over: it may be resumed. */
const GOING_MS = 3_000;
const OVER_MS = 15_000;

/** One shared run: how far it is, who works on it, what failed, what is being built, and what it costs. */
export function Page() {
  const { run } = route.useParams();
  const view = useAsk('sharedRun', { run }, {});
  const { data } = view;
  useAskAgain(
    ['sharedRun', 'sharedWorkers', 'sharedLeases', 'sharedFailures', 'sharedQueue'],
    data === undefined || isGoingOn(data.row) ? GOING_MS : OVER_MS,
  );
  return (
    <PageFrame
      title={data === undefined ? 'Shared run' : `${data.row.eval} · ${data.row.target}`}
      head={null}
    >
      {data !== undefined ? (
        <>
          {view.isError && <Problem error={view.error} what="The newest state of this run" />}
          <Loaded view={data} />
        </>
      ) : view.isError ? (
        <>
          <h1 className="visually-hidden">Shared run {run}</h1>
          <Problem error={view.error} onRetry={() => void view.refetch()} what="This shared run" />
        </>
      ) : (
        <>
          <h1 className="visually-hidden">Shared run {run}</h1>
          <SkeletonRows rowHeight={36}>Reading the run from the bucket …</SkeletonRows>
        </>
      )}
    </PageFrame>
  );
}

function Loaded({ view }: { readonly view: SharedRunView }) {
  const { part: tab } = route.useSearch();
  const navigate = route.useNavigate();
  const scroller = useRef<HTMLDivElement>(null);
  const show = (next: SharedTab) =>
    void navigate({ search: (was) => ({ ...was, part: next }), replace: true });
  useKeys(
    'Shared run',
    TABS.map((id, index) => ({ keys: String(index + 1), what: NAMES[id], run: () => show(id) })),
  );
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
    <div ref={scroller} className={styles.scroller} tabIndex={0} role="region" aria-label="Shared run">
      <SharedHead view={view} />
      <SharedOverview view={view} />
      <div className={styles.chart}>
        <RatesChart view={view} />
      </div>
      <div className={styles.tabs}>
        <Tabs
          label="Parts of the run"
          tabs={tabsOf(view)}
          value={tab}
          onChange={show}
          controls="shared-part"
        />
      </div>
      <div id="shared-part" role="tabpanel" className={styles.panel} aria-label={NAMES[tab]}>
        {tab === 'workers' && <WorkersTab run={view.row.run} scroller={scroller} />}
        {tab === 'leases' && <LeasesTab run={view.row.run} scroller={scroller} />}
        {tab === 'failures' && <FailuresTab view={view} scroller={scroller} />}
        {tab === 'artifacts' && <BuildsTab view={view} scroller={scroller} />}
        {tab === 'rounds' && <RoundsTab view={view} />}
      </div>
    </div>
  );
}

const NAMES: Readonly<Record<SharedTab, string>> = {
  workers: 'Workers',
  leases: 'In flight',
  failures: 'Failures',
  artifacts: 'Artifacts',
  rounds: 'Rounds and commands',
};

function tabsOf({ row, inFlight, failureCount, builds }: SharedRunView) {
  const { live, refusing, silent, ended, unknown } = row.workers;
  const counts: Partial<Record<SharedTab, number>> = {
    workers: live + refusing + silent + ended + unknown,
    leases: inFlight,
    failures: failureCount,
    artifacts: builds.length,
  };
  return TABS.map((id) => {
    const count = counts[id];
    return { id, label: count === undefined ? NAMES[id] : `${NAMES[id]} (${formatCount(count)})` };
  });
}
