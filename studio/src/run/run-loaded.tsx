import { lazy, Suspense, useRef } from 'react';
import type { RunView } from '../../../src/server/api.ts';
import { useAsk } from '../data/use-ask.ts';
import { SkeletonRows } from '../ui/skeleton.tsx';
import { Tabs } from '../ui/tabs.tsx';
import { TagDialog } from '../ui/tag-dialog.tsx';
import { useSize } from '../ui/use-size.ts';
import { changedCount } from './config/config-groups.ts';
import { NotesDialog } from './head/notes-dialog.tsx';
import { RunHead } from './head/run-head.tsx';
import { RunNotices } from './head/run-notices.tsx';
import { type RunActions, useRunActions } from './head/use-run-actions.ts';
import { Overview } from './overview/overview.tsx';
import styles from './run-page.module.css';
import { SamplesTab } from './samples/samples-tab.tsx';
import type { SamplesPlace } from './samples/use-samples-list.ts';
import type { RunAddress } from './use-run-address.ts';

const TimelineTab = lazy(() => import('./timeline/timeline-tab.tsx'));
const CostTab = lazy(() => import('./cost/cost-tab.tsx'));
const ConfigTab = lazy(() => import('./config/config-tab.tsx'));
const RawTab = lazy(() => import('./raw-tab.tsx'));

interface RunLoadedProps {
  readonly view: RunView;
  readonly address: RunAddress;
}

/** The page of a run that could be read. */
export function RunLoaded({ view, address }: RunLoadedProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const memory = useRef<SamplesPlace>(undefined);
  const [tabs, size] = useSize<HTMLDivElement>();
  const actions = useRunActions(view, address);
  const changed = changedCount(view);
  return (
    <div ref={scroller} className={styles.scroller}>
      <RunHead view={view} actions={actions} />
      <RunNotices view={view} />
      <Overview view={view} address={address} />
      <div ref={tabs} className={styles.tabs}>
        <Tabs
          label="Parts of the run"
          controls="run-tab"
          tabs={[
            { id: 'samples', label: 'Samples' },
            { id: 'timeline', label: 'Timeline' },
            { id: 'cost', label: 'Cost' },
            {
              id: 'config',
              label:
                changed === 0 ? 'Config' : `Config (${changed === 1 ? '1 change' : `${changed} changes`})`,
            },
            { id: 'raw', label: 'Raw' },
          ]}
          value={address.tab}
          onChange={(tab) => address.setTab(tab)}
        />
      </div>
      <div id="run-tab" role="tabpanel" aria-label={address.tab} className={styles.panel}>
        {address.tab === 'samples' ? (
          <SamplesTab
            address={address}
            view={view}
            scroller={scroller}
            stuck={size?.height ?? 32}
            memory={memory}
          />
        ) : (
          <Suspense fallback={<SkeletonRows rows={10} />}>
            <OtherTab view={view} address={address} />
          </Suspense>
        )}
      </div>
      <Dialogs view={view} actions={actions} />
    </div>
  );
}

function OtherTab({ view, address }: RunLoadedProps) {
  switch (address.tab) {
    case 'timeline':
      return <TimelineTab view={view} address={address} />;
    case 'cost':
      return <CostTab view={view} address={address} />;
    case 'config':
      return <ConfigTab view={view} address={address} />;
    default:
      return <RawTab run={view.item.run} />;
  }
}

function Dialogs({ view, actions }: { readonly view: RunView; readonly actions: RunActions }) {
  const words = useAsk('runWords', {}, {}, { isOff: actions.opened !== 'tag' });
  if (actions.opened === undefined) return null;
  if (actions.opened === 'tag' && actions.cannotWrite === undefined)
    return (
      <TagDialog
        runs={[view.item.run]}
        known={(words.data?.tags ?? []).map(({ word }) => word)}
        onClose={actions.onClose}
      />
    );
  return <NotesDialog view={view} cannotWrite={actions.cannotWrite} onClose={actions.onClose} />;
}
