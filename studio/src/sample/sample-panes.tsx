import type { ReactNode } from 'react';
import type { SampleView } from '../../../src/server/api.ts';
import { SkeletonRows } from '../ui/skeleton.tsx';
import styles from './sample-page.module.css';
import type { SAMPLE_TABS } from './sample-search.ts';
import { AttemptsTab } from './tabs/attempts-tab.tsx';
import { FilesTab } from './tabs/files-tab.tsx';
import { MessagesTab } from './tabs/messages-tab.tsx';
import { RawTab } from './tabs/raw-tab.tsx';
import { TranscriptTab } from './transcript/transcript-tab.tsx';
import type { TranscriptKey } from './transcript/use-skeleton.ts';
import type { TranscriptState } from './transcript/use-transcript.ts';

interface SamplePanesProps {
  readonly tab: (typeof SAMPLE_TABS)[number];
  readonly transcript: TranscriptState;
  readonly transcriptKey: TranscriptKey;
  readonly view: SampleView | undefined;
  readonly scores: ReactNode;
  readonly lane: string;
  readonly setLane: (lane: string) => void;
  readonly find: string;
  readonly isFinding: boolean;
  readonly onFind: (text: string) => void;
  readonly onFinding: (isFinding: boolean) => void;
  readonly isOutlined: boolean;
}

/** The part that the tabs switch. */
export function SamplePanes({ tab, view, scores, ...rest }: SamplePanesProps) {
  if (tab === 'transcript') return <TranscriptTab {...rest} isLive={view?.row.outcome === 'running'} />;
  if (tab === 'messages') return <MessagesTab />;
  if (view === undefined) return <SkeletonRows />;
  if (tab === 'scores') return <div className={styles.scores}>{scores}</div>;
  if (tab === 'files') return <FilesTab view={view} />;
  if (tab === 'attempts') return <AttemptsTab view={view} />;
  return <RawTab view={view} />;
}
