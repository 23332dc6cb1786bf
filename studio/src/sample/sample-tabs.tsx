import { useMemo, useState } from 'react';
import { z } from 'zod';
import type { useAsk } from '../data/use-ask.ts';
import { Problem } from '../ui/problem.tsx';
import { ResizablePane } from '../ui/resizable-pane.tsx';
import { SkeletonRows } from '../ui/skeleton.tsx';
import { usePersisted } from '../ui/use-persisted.ts';
import { Here } from './sample-here.ts';
import styles from './sample-page.module.css';
import { SamplePanes } from './sample-panes.tsx';
import { SampleToolbar } from './sample-toolbar.tsx';
import { ScoresPane } from './scores/scores-pane.tsx';
import { useTranscript } from './transcript/use-transcript.ts';
import { nameOfEvent, useCopyLink, useEventInAddress } from './use-event-link.ts';
import { useSampleKeys } from './use-sample-keys.ts';
import { useSampleSearch } from './use-sample-search.ts';

interface SampleTabsProps {
  readonly run: string;
  readonly sample: string;
  readonly epoch: number;
  readonly view: ReturnType<typeof useAsk<'sample'>>;
  readonly onStep: (by: 1 | -1, isFailing?: boolean) => void;
}

const WIDE = 1_200;

/** Everything below the header: tabs, and beside them how the sample was judged. */
export function SampleTabs({ run, sample, epoch, view, onStep }: SampleTabsProps) {
  const { search, set } = useSampleSearch();
  const { tab, lane } = search;
  const attempt = search.attempt === '' ? undefined : Number(search.attempt);
  const [isRaw, setIsRaw] = useState(false);
  const [isFinding, setIsFinding] = useState(search.find !== '');
  const [isWriting, setIsWriting] = useState(false);
  const [isOutlined, setIsOutlined] = usePersisted(
    'holdfast.sample.outline',
    z.boolean(),
    innerWidth >= WIDE,
  );
  const [isScored, setIsScored] = usePersisted('holdfast.sample.scores', z.boolean(), innerWidth >= WIDE);
  const link = useCopyLink();
  const key = useMemo(() => ({ run, sample, epoch, attempt }), [run, sample, epoch, attempt]);
  const transcript = useTranscript({
    key,
    lane,
    setLane: (to) => set({ lane: to }),
    copyLink: (event) => link.copy(nameOfEvent(transcript, event)),
  });
  useEventInAddress(transcript);
  const here = useMemo(() => ({ ...key, isRaw }), [key, isRaw]);
  const finding = (is: boolean) => {
    setIsFinding(is);
    set(is ? { tab: 'transcript' } : { find: '' });
  };
  const write = () => {
    setIsScored(true);
    setIsWriting(true);
  };
  useSampleKeys({
    onStep,
    onTab: (to) => set({ tab: to }),
    onRaw: () => setIsRaw(!isRaw),
    onOutline: () => setIsOutlined(!isOutlined),
    onScores: () => setIsScored(!isScored),
    onWrite: write,
  });
  const isBeside = isScored && (tab === 'transcript' || tab === 'messages');
  const scores = view.data !== undefined && (
    <ScoresPane
      view={view.data}
      onEvent={(uuid) => set({ tab: 'transcript', event: uuid })}
      isWriting={isWriting}
      onWriting={setIsWriting}
      about={() =>
        transcript.focused === undefined ? undefined : nameOfEvent(transcript, transcript.focused)
      }
    />
  );
  return (
    <Here value={here}>
      <SampleToolbar
        {...{ tab, transcript, isRaw, isOutlined, isScored }}
        said={link.said}
        view={view.data}
        onTab={(to) => set({ tab: to })}
        onRaw={() => setIsRaw(!isRaw)}
        onOutline={() => setIsOutlined(!isOutlined)}
        onScores={() => setIsScored(!isScored)}
        onFind={() => finding(true)}
      />
      <div className={styles.panes} id="sample-part">
        <SamplePanes
          {...{ tab, transcript, isOutlined, isFinding, lane }}
          transcriptKey={key}
          view={view.data}
          find={search.find}
          scores={scores}
          onFind={(text) => set({ find: text })}
          onFinding={finding}
          setLane={(to) => set({ lane: to })}
        />
        {isBeside && (
          <ResizablePane name="scores" label="Scores" side="right" initial={360} min={300} max={560}>
            {view.error !== null ? (
              <Problem error={view.error} onRetry={() => void view.refetch()} what="This sample" />
            ) : view.data === undefined ? (
              <SkeletonRows rows={6} rowHeight={56} />
            ) : (
              scores
            )}
          </ResizablePane>
        )}
      </div>
    </Here>
  );
}
