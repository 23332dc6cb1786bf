import type { SampleView } from '../../../src/server/api.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { formatCount, formatPercent } from '../ui/format.ts';
import { Tabs } from '../ui/tabs.tsx';
import styles from './sample-page.module.css';
import { SAMPLE_TABS } from './sample-search.ts';
import { KindsMenu } from './transcript/kinds-menu.tsx';
import type { TranscriptState } from './transcript/use-transcript.ts';

type SampleTab = (typeof SAMPLE_TABS)[number];

interface SampleToolbarProps {
  readonly tab: SampleTab;
  readonly transcript: TranscriptState;
  readonly view: SampleView | undefined;
  readonly isRaw: boolean;
  readonly isOutlined: boolean;
  readonly isScored: boolean;
  /** What was just done. */
  readonly said: string;
  readonly onTab: (tab: SampleTab) => void;
  readonly onRaw: () => void;
  readonly onOutline: () => void;
  readonly onScores: () => void;
  readonly onFind: () => void;
}

/** Tabs, and how the transcript is shown. */
export function SampleToolbar(props: SampleToolbarProps) {
  const { tab, transcript, view, isRaw, isOutlined, isScored } = props;
  const { store } = transcript;
  const counts: Partial<Record<SampleTab, number>> = {
    transcript: store.known,
    messages: view?.messageCount ?? 0,
    scores: view?.scores.length ?? 0,
    files: view?.files.length ?? 0,
    attempts: view === undefined ? 0 : view.attempts.length + 1,
  };
  const tabs = SAMPLE_TABS.map((id) => ({ id, label: <TabLabel name={id} count={counts[id]} /> }));
  const isTranscript = tab === 'transcript';
  return (
    <div className={styles.bar}>
      <Tabs
        label="Parts of the sample"
        tabs={tabs}
        value={tab}
        onChange={props.onTab}
        controls="sample-part"
      />
      <div className={styles.tools}>
        <span className={styles.said} role="status">
          {props.said === '' ? loadedOf(transcript) : props.said}
        </span>
        {isTranscript && (
          <>
            <KindsMenu store={store} hidden={transcript.hidden} />
            <IconButton icon="search" label="Find in the transcript (/)" onClick={props.onFind} />
            <Button kind="quiet" onClick={transcript.foldAll} title="Fold or unfold all (z)">
              Fold
            </Button>
          </>
        )}
        <Button kind="quiet" isOn={isRaw} onClick={props.onRaw} title="Texts as they are (r)">
          Raw
        </Button>
        {isTranscript && (
          <IconButton icon="pane-left" label="Outline (o)" isOn={isOutlined} onClick={props.onOutline} />
        )}
        {(isTranscript || tab === 'messages') && (
          <IconButton icon="pane" label="Scores (i)" isOn={isScored} onClick={props.onScores} />
        )}
      </div>
    </div>
  );
}

/** How much of a long transcript is here; nothing when it is whole, or under way. */
function loadedOf({ store }: TranscriptState): string {
  if (store.isWhole || store.count === 0 || (store.progress >= 1 && store.count >= store.known)) return '';
  const share = Math.min(store.progress, store.count / store.known);
  return `${formatCount(store.count)} events so far, ${formatPercent(share)} read`;
}

function TabLabel({ name, count }: { readonly name: SampleTab; readonly count: number | undefined }) {
  return (
    <>
      {`${name.slice(0, 1).toUpperCase()}${name.slice(1)}`}
      {count !== undefined && count > 0 && <span className={styles.count}>{formatCount(count)}</span>}
    </>
  );
}
