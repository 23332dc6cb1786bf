import type { CutText } from '../../../src/server/api.ts';
import type { useAsk } from '../data/use-ask.ts';
import { CutShown } from '../ui/json-tree/cut-shown.ts';
import { Problem } from '../ui/problem.tsx';
import { ResizablePane } from '../ui/resizable-pane.tsx';
import { SkeletonRows } from '../ui/skeleton.tsx';
import { TextBlock } from './content/text-block.tsx';
import { Here } from './sample-here.ts';
import styles from './sample-page.module.css';
import { SamplePanes } from './sample-panes.tsx';
import { hasScoresBeside } from './sample-search.ts';
import { SampleToolbar } from './sample-toolbar.tsx';
import { ScoresPane } from './scores/scores-pane.tsx';
import { type SampleParts, useSampleParts } from './use-sample-parts.ts';

interface SampleTabsProps {
  readonly run: string;
  readonly sample: string;
  readonly epoch: number;
  readonly view: ReturnType<typeof useAsk<'sample'>>;
  readonly onStep: (by: 1 | -1, isFailing?: boolean) => void;
}

const showCut = (text: CutText) => <TextBlock text={text} as="output" />;

/** Everything below the header: tabs, and beside them how the sample was judged. */
export function SampleTabs({ view, ...options }: SampleTabsProps) {
  const parts = useSampleParts(options);
  const { tab } = parts.search;
  const isBeside = parts.isScored && hasScoresBeside(tab);
  const scores = <Scores parts={parts} view={view} />;
  return (
    <Here value={parts.here}>
      <CutShown value={showCut}>
        <SampleToolbar parts={parts} view={view.data} />
        <div className={styles.panes} id="sample-part" role="tabpanel" aria-label={tab}>
          <SamplePanes parts={parts} view={view.data} scores={scores} />
          {isBeside && (
            <ResizablePane name="scores" label="Scores" side="right" initial={360} min={300} max={560}>
              {scores}
            </ResizablePane>
          )}
        </div>
      </CutShown>
    </Here>
  );
}

function Scores({ parts, view }: { readonly parts: SampleParts; readonly view: SampleTabsProps['view'] }) {
  const { actions, isWriting, transcript, uuidOf } = parts;
  if (view.data === undefined)
    return view.isError ? (
      <Problem error={view.error} onRetry={() => void view.refetch()} what="This sample" />
    ) : (
      <SkeletonRows rows={6} rowHeight={56} />
    );
  return (
    <ScoresPane
      view={view.data}
      evidence={parts.evidence}
      onEvent={actions.onEvent}
      isWriting={isWriting}
      onWriting={actions.onWriting}
      about={transcript.focused}
      uuidOf={uuidOf}
    />
  );
}
