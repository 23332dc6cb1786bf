import { useEffect, useRef } from 'react';
import type { ReviewItem } from '../../../src/server/api.ts';
import { classes } from '../ui/classes.ts';
import { OutcomeBadge } from '../ui/outcome.tsx';
import { PageRows } from '../ui/page-rows.tsx';
import type { VirtualRowsHandle } from '../ui/virtual-rows.tsx';
import { keyOf, lastWords, runMoment, verdictWord } from './queue.ts';
import styles from './queue-list.module.css';

const ROW = 44;
/** Where samples are of several runs, a line says of which. */
const ROW_WITH_RUN = 60;

interface QueueListProps {
  readonly items: readonly ReviewItem[];
  readonly at: string | undefined;
  readonly onGo: (key: string) => void;
}

export function QueueList({ items, at, onGo }: QueueListProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const handle = useRef<VirtualRowsHandle>(null);
  const hasRuns = items.some(({ run }) => run !== items[0]?.run);
  const index = items.findIndex((item) => keyOf(item) === at);
  useEffect(() => {
    if (index >= 0) handle.current?.show(index);
  }, [index]);
  return (
    <nav ref={scroller} className={styles.scroller} aria-label="Samples to judge">
      <PageRows
        count={items.length}
        key={String(hasRuns)}
        rowHeight={hasRuns ? ROW_WITH_RUN : ROW}
        scroller={scroller}
        role="presentation"
        ref={handle}
        keyOf={(row) => keyAt(items, row)}
      >
        {(row) => {
          const item = items[row];
          return item === undefined ? null : (
            <QueueRow item={item} isHere={row === index} hasRun={hasRuns} onGo={() => onGo(keyOf(item))} />
          );
        }}
      </PageRows>
    </nav>
  );
}

function keyAt(items: readonly ReviewItem[], row: number): string {
  const item = items[row];
  return item === undefined ? String(row) : keyOf(item);
}

interface QueueRowProps {
  readonly item: ReviewItem;
  readonly isHere: boolean;
  readonly hasRun: boolean;
  readonly onGo: () => void;
}

function QueueRow({ item, isHere, hasRun, onGo }: QueueRowProps) {
  const said = lastWords(item.verdicts).map(({ verdict, by }) => `${by}: ${verdictWord(verdict)}`);
  return (
    <button
      type="button"
      className={classes(styles.row, hasRun && styles.hasRun, isHere && styles.isHere)}
      aria-current={isHere}
      onClick={onGo}
    >
      <span className={styles.first}>
        <OutcomeBadge outcome={item.outcome} isShort />
        <strong>{item.sample}</strong>
        {item.epoch > 1 && <span className={styles.meta}>epoch {item.epoch}</span>}
        {said.length > 0 && (
          <span className={styles.said} title={said.join(', ')}>
            {lastWords(item.verdicts).map(({ id, verdict }) => (
              <OutcomeBadge
                key={id}
                outcome={verdict === 'unsure' || verdict === undefined ? 'unscored' : verdict}
              >
                {verdict === 'unsure' ? verdict : undefined}
              </OutcomeBadge>
            ))}
          </span>
        )}
      </span>
      {hasRun && (
        <span className={styles.input} title={item.run}>
          {runMoment(item.run)} · {item.eval} · {item.target.slice(item.target.lastIndexOf('/') + 1)}
        </span>
      )}
      <span className={styles.input}>{item.input}</span>
    </button>
  );
}
