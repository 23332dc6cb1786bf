import type { ReactNode } from 'react';
import type { SampleView } from '../../../src/server/api.ts';
import { SkeletonRows } from '../ui/skeleton.tsx';
import styles from './sample-page.module.css';
import { AttemptsTab } from './tabs/attempts-tab.tsx';
import { FilesTab } from './tabs/files-tab.tsx';
import { MessagesTab } from './tabs/messages-tab.tsx';
import { RawTab } from './tabs/raw-tab.tsx';
import { TranscriptTab } from './transcript/transcript-tab.tsx';
import type { SampleParts } from './use-sample-parts.ts';

interface SamplePanesProps {
  readonly parts: SampleParts;
  readonly view: SampleView | undefined;
  readonly scores: ReactNode;
}

/** The part that the tabs switch. */
export function SamplePanes({ parts, view, scores }: SamplePanesProps) {
  const { tab } = parts.search;
  if (tab === 'transcript') return <TranscriptTab parts={parts} isLive={view?.row.outcome === 'running'} />;
  if (tab === 'messages') return <MessagesTab />;
  if (tab === 'scores') return <div className={styles.scores}>{scores}</div>;
  if (view === undefined) return <SkeletonRows />;
  if (tab === 'files') return <FilesTab view={view} />;
  if (tab === 'attempts') return <AttemptsTab view={view} />;
  return <RawTab view={view} />;
}
