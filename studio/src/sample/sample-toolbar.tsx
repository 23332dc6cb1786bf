import type { SampleView } from '../../../src/server/api.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { Chip } from '../ui/chip.tsx';
import { counted } from '../ui/counted.ts';
import { formatCount, formatPercent } from '../ui/format.ts';
import { Tabs } from '../ui/tabs.tsx';
import styles from './sample-page.module.css';
import { hasScoresBeside, hasTexts, SAMPLE_TABS } from './sample-search.ts';
import { KindsMenu } from './transcript/kinds-menu.tsx';
import type { TranscriptState } from './transcript/use-transcript.ts';
import type { SampleParts } from './use-sample-parts.ts';

type SampleTab = (typeof SAMPLE_TABS)[number];

interface SampleToolbarProps {
  readonly parts: SampleParts;
  readonly view: SampleView | undefined;
}

/** Tabs, and how the transcript is shown. */
export function SampleToolbar({ parts, view }: SampleToolbarProps) {
  const { transcript, actions, isRaw, isOutlined, isScored, said } = parts;
  const { tab } = parts.search;
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
        onChange={actions.onTab}
        controls="sample-part"
      />
      <div className={styles.tools}>
        {parts.search.attempt !== '' && (
          <Chip onRemove={actions.onLastAttempt} removeLabel="Show the last attempt">
            attempt {parts.search.attempt}, which failed
          </Chip>
        )}
        <span className={styles.said} role="status">
          {said === '' ? loadedOf(transcript) : said}
        </span>
        {isTranscript && (
          <>
            <KindsMenu store={store} hidden={transcript.hidden} />
            <IconButton
              icon="search"
              label="Find in the transcript (/)"
              onClick={() => actions.onFinding(true)}
            />
            <Button kind="quiet" onClick={transcript.foldAll} title="Fold or unfold all (z)">
              Fold
            </Button>
          </>
        )}
        {hasTexts(tab) && (
          <Button
            kind="quiet"
            isOn={isRaw}
            onClick={actions.onRaw}
            title="Texts as they are, not rendered (r)"
          >
            Plain text
          </Button>
        )}
        {isTranscript && (
          <IconButton icon="pane-left" label="Outline (o)" isOn={isOutlined} onClick={actions.onOutline} />
        )}
        {hasScoresBeside(tab) && (
          <IconButton icon="pane" label="Scores (i)" isOn={isScored} onClick={actions.onScores} />
        )}
      </div>
    </div>
  );
}

/** How much of a long transcript is here; nothing when it is whole, or under way. */
function loadedOf({ store }: TranscriptState): string {
  if (store.isWhole || store.count === 0 || (store.progress >= 1 && store.count >= store.known)) return '';
  const share = Math.min(store.progress, store.count / store.known);
  return `${counted(store.count, 'event')} so far, ${formatPercent(share)} read`;
}

function TabLabel({ name, count }: { readonly name: SampleTab; readonly count: number | undefined }) {
  return (
    <>
      {`${name.slice(0, 1).toUpperCase()}${name.slice(1)}`}
      {count !== undefined && count > 0 && <span className={styles.count}>{formatCount(count)}</span>}
    </>
  );
}
