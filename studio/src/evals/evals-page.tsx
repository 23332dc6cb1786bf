import { Link } from '@tanstack/react-router';
import { useRef } from 'react';
import type { EvalsPage } from '../../../src/server/api.ts';
import { PageFrame } from '../app/page-frame.tsx';
import { useAsk } from '../data/use-ask.ts';
import { Asked } from '../ui/asked.tsx';
import { Empty } from '../ui/empty.tsx';
import { Ago, Score } from '../ui/figures.tsx';
import { formatCount } from '../ui/format.ts';
import { PageRows } from '../ui/page-rows.tsx';
import { Sparkline } from '../ui/sparkline.tsx';
import { HeadCell } from '../ui/table-head.tsx';
import styles from './evals-page.module.css';

const ROW = 36;

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
  const heads = ['Eval', 'Targets', 'Runs', 'Last score', 'Trend', 'Last run'];
  return (
    <div
      ref={scroller}
      className={styles.scroller}
      role="table"
      aria-label="Evals"
      aria-rowcount={page.evals.length + 1}
    >
      {!page.isWhole && (
        <p className={styles.note} role="status">
          The store is still being read: there may be more.
        </p>
      )}
      <div role="row" className={styles.head}>
        {heads.map((head, index) => (
          <HeadCell key={head} align={index === 2 || index === 3 ? 'right' : 'left'}>
            {head}
          </HeadCell>
        ))}
      </div>
      <PageRows count={page.evals.length} rowHeight={ROW} stickyHeight={28} scroller={scroller}>
        {(index) => {
          const item = page.evals[index];
          return item === undefined ? null : <EvalRow item={item} />;
        }}
      </PageRows>
    </div>
  );
}

function EvalRow({ item }: { readonly item: EvalsPage['evals'][number] }) {
  const { facts } = item.last;
  const score = facts?.scores[0];
  return (
    <div role="row" className={styles.row}>
      <span role="cell" className={styles.name}>
        <Link to="/evals/$eval" params={{ eval: item.eval }}>
          {item.eval}
        </Link>
      </span>
      <span role="cell" className={styles.targets} title={item.targets.join(', ')}>
        {item.targets.join(', ')}
      </span>
      <span role="cell" className={styles.right}>
        {formatCount(item.runs)}
      </span>
      <span role="cell" className={styles.right}>
        {score === undefined ? '–' : <Score {...score} isAligned />}
      </span>
      <span role="cell">
        {item.trend.length > 1 && <Sparkline points={item.trend} width={140} height={24} />}
      </span>
      <span role="cell" className={styles.when}>
        {facts !== undefined && (
          <Link to="/runs/$run/{-$tab}" params={{ run: item.last.run }}>
            <Ago time={facts.start} />
          </Link>
        )}
        <span className={styles.target}>{facts?.target}</span>
      </span>
    </div>
  );
}
