import { getRouteApi, Link } from '@tanstack/react-router';
import type { SampleOverTime } from '../../../src/server/api.ts';
import { PageFrame } from '../app/page-frame.tsx';
import { useAsk } from '../data/use-ask.ts';
import { Asked } from '../ui/asked.tsx';
import { CopyCommand } from '../ui/copy.tsx';
import { Badge } from '../ui/outcome.tsx';
import { HistoryTable } from './history-table.tsx';
import { stateShown } from './lanes.ts';
import styles from './sample-history-page.module.css';
import { SampleLanes } from './sample-lanes.tsx';

const route = getRouteApi('/evals/$eval/s/$sample');

/** One sample over time: what became of it in run after run, and what had changed where it flipped. */
export function Page() {
  const { eval: name, sample } = route.useParams();
  const { score } = route.useSearch();
  const view = useAsk('sampleOverTime', { eval: name, sample }, { score: score === '' ? undefined : score });
  return (
    <PageFrame
      title={`${sample} over time`}
      head={
        <header className={styles.head}>
          <h1>{sample}</h1>
          <Link to="/evals/$eval" params={{ eval: name }}>
            {name} ›
          </Link>
        </header>
      }
    >
      <Asked query={view} what="This sample over time">
        {(answer) => <OverTime view={answer} />}
      </Asked>
    </PageFrame>
  );
}

function OverTime({ view }: { readonly view: SampleOverTime }) {
  const { glyph, word } = stateShown(view.state);
  return (
    <div className={styles.page}>
      <div>
        <p className={styles.state}>
          <Badge tone={view.state === 'stable' ? 'quiet' : 'limit'} glyph={glyph}>
            {word}
          </Badge>
          {view.because !== undefined && <span>{view.because}</span>}
        </p>
        <p className={styles.input}>{view.input}</p>
      </div>
      <SampleLanes view={view} />
      <HistoryTable view={view} />
      <footer>
        <CopyCommand command={view.command} label="Same history" />
      </footer>
    </div>
  );
}
