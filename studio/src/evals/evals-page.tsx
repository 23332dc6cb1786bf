import { Link } from '@tanstack/react-router';
import { useRef } from 'react';
import type { EvalsPage } from '../../../src/server/api.ts';
import { PageFrame } from '../app/page-frame.tsx';
import { useAsk } from '../data/use-ask.ts';
import { Asked } from '../ui/asked.tsx';
import { Empty } from '../ui/empty.tsx';
import { Ago, Score } from '../ui/figures.tsx';
import { formatCount } from '../ui/format.ts';
import { type PlainColumn, PlainTable } from '../ui/plain-table.tsx';
import { Sparkline } from '../ui/sparkline.tsx';
import styles from './evals-page.module.css';

/** All evals of the store, and how each of them goes. */
export function Page() {
  const evals = useAsk('evals', {}, {});
  return (
    <PageFrame title="Evals">
      <Asked query={evals} what="The list of evals">
        {(page) =>
          page.evals.length === 0 ? (
            <Empty title={page.isWhole ? 'There are no evals yet' : 'No eval has been read yet'}>
              <p>
                {page.isWhole
                  ? 'They come with the first run: holdfast run, or point the Studio to logs.'
                  : 'The store is being read; this list grows by itself.'}
              </p>
            </Empty>
          ) : (
            <EvalsTable page={page} />
          )
        }
      </Asked>
    </PageFrame>
  );
}

function EvalsTable({ page }: { readonly page: EvalsPage }) {
  const scroller = useRef<HTMLDivElement>(null);
  return (
    <div ref={scroller} className={styles.scroller}>
      {!page.isWhole && (
        <p className={styles.note} role="status">
          The store is still being read: there may be more.
        </p>
      )}
      <PlainTable
        label="Evals"
        columns={COLUMNS}
        total={page.evals.length}
        rowAt={(index) => page.evals[index]}
        scroller={scroller}
      />
    </div>
  );
}

const COLUMNS: readonly PlainColumn<EvalsPage['evals'][number]>[] = [
  {
    ...{ id: 'eval', label: 'Eval', width: 'minmax(160px, 1.4fr)' },
    cell: ({ eval: name }) => (
      <Link to="/evals/$eval" params={{ eval: name }} className={styles.name}>
        {name}
      </Link>
    ),
  },
  {
    ...{ id: 'targets', label: 'Targets', width: 'minmax(120px, 1.6fr)' },
    cell: ({ targets }) => (
      <span className={styles.targets} title={targets.join(', ')}>
        {targets.join(', ')}
      </span>
    ),
  },
  { id: 'runs', label: 'Runs', width: '64px', align: 'right', cell: ({ runs }) => formatCount(runs) },
  {
    ...{ id: 'score', label: 'Last score', width: '130px', align: 'right' },
    cell: ({ last }) => (last.facts?.scores[0] ? <Score {...last.facts.scores[0]} isAligned /> : '–'),
  },
  {
    ...{ id: 'trend', label: 'Trend', width: '156px' },
    cell: ({ trend }) => trend.length > 1 && <Sparkline points={trend} width={140} height={24} />,
  },
  { id: 'last', label: 'Last run', width: 'minmax(140px, 1fr)', cell: ({ last }) => <LastRun {...last} /> },
];

function LastRun({ run, facts }: EvalsPage['evals'][number]['last']) {
  return (
    <>
      {facts !== undefined && (
        <Link to="/runs/$run/{-$tab}" params={{ run }}>
          <Ago time={facts.start} />
        </Link>
      )}
      <span className={styles.target}>{facts?.target}</span>
    </>
  );
}
