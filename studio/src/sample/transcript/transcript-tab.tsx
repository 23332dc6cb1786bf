import { useEffect, useState } from 'react';
import { Empty } from '../../ui/empty.tsx';
import { formatCount } from '../../ui/format.ts';
import { Problem } from '../../ui/problem.tsx';
import { ResizablePane } from '../../ui/resizable-pane.tsx';
import { SkeletonRows } from '../../ui/skeleton.tsx';
import { FindBar } from '../find/find-bar.tsx';
import { useFind } from '../find/use-find.ts';
import { useMarks } from '../find/use-marks.ts';
import { LaneMap } from '../overview/lane-map.tsx';
import { Outline } from '../overview/outline.tsx';
import { Sought } from '../sought.ts';
import type { SampleParts } from '../use-sample-parts.ts';
import { rowOfTurn } from './landmarks.ts';
import styles from './transcript.module.css';
import { Transcript } from './transcript-here.ts';
import { TranscriptList } from './transcript-list.tsx';
import { TurnDialog } from './turn-dialog.tsx';
import type { TranscriptState } from './use-transcript.ts';
import { lastTurn, useTranscriptKeys } from './use-transcript-keys.ts';

interface TranscriptTabProps {
  readonly parts: SampleParts;
  /** The sample is under way: its end is followed. */
  readonly isLive: boolean;
}

/** Overview, outline and events of one sample. */
export function TranscriptTab({ parts, isLive }: TranscriptTabProps) {
  const { transcript, actions, isFinding } = parts;
  const { lane, find } = parts.search;
  const { setLane } = actions;
  const { store, shown, list, here, go, goToEvent, view } = transcript;
  useReturn(transcript);
  const [sought, setSought] = useState<number>();
  const [isTurnAsked, setIsTurnAsked] = useState(false);
  const search = useFind(parts.key, isFinding ? find : '');
  useMarks(list, isFinding ? find : '', sought);
  useTranscriptKeys(transcript, {
    lane,
    setLane,
    openFind: () => actions.onFinding(true),
    openTurn: () => setIsTurnAsked(true),
    copyLink: here.copyLink,
  });
  return (
    <Transcript value={here}>
      <Sought value={sought}>
        <div className={styles.tab}>
          <LaneMap {...{ store, view, lane, onLane: setLane }} onGo={(event) => go(event, false)} />
          <div className={styles.panes}>
            {parts.isOutlined && (
              <ResizablePane name="outline" label="Outline" side="left" initial={260} min={180} max={420}>
                <Outline store={store} view={view} onGo={goToEvent} />
              </ResizablePane>
            )}
            <div className={styles.middle}>
              {isFinding && (
                <FindBar
                  text={find}
                  asked={parts.findAsked}
                  {...search}
                  onRetry={search.retry}
                  from={() => view.seen.first}
                  onSearch={actions.onFind}
                  onGo={(event) => {
                    setSought(event);
                    if (event !== undefined) goToEvent(event);
                  }}
                  onClose={() => {
                    setSought(undefined);
                    actions.onFinding(false);
                  }}
                />
              )}
              <State transcript={transcript} />
              <TranscriptList ref={list} {...transcript} isFollowing={isLive} />
            </div>
          </div>
        </div>
        {isTurnAsked && (
          <TurnDialog
            last={lastTurn(store)}
            onGo={(turn) => go(shown.eventOf(rowOfTurn(store, shown, turn)), true)}
            onClose={() => setIsTurnAsked(false)}
          />
        )}
      </Sought>
    </Transcript>
  );
}

/** Whoever comes back from another tab is where they left, or at the event that was asked for meanwhile. */
function useReturn({ place, shown, list }: TranscriptState): void {
  const [left] = useState(place.current);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the tab is shown
  useEffect(() => {
    if (shown.count === 0 || (left.event === 0 && left.above === 0)) return;
    list.current?.restore({ row: shown.rowOf(left.event), above: left.above });
  }, []);
}

/** What is not as one might think: still loading, damaged, empty, filtered away. */
function State({ transcript }: { readonly transcript: TranscriptState }) {
  const { store, error, retry, shown } = transcript;
  if (error !== undefined) return <Problem error={error} onRetry={retry} what="The transcript" />;
  if (store.count === 0 && !store.isRead)
    return <SkeletonRows rows={14}>Reading the transcript …</SkeletonRows>;
  if (store.count === 0) return <Empty title="This sample has no events" />;
  if (shown.count === 0 && store.isWhole)
    return (
      <Empty title="Every event is hidden">
        <p>{formatCount(store.count)} events are here. Choose which are shown under “Events”.</p>
      </Empty>
    );
  return null;
}
