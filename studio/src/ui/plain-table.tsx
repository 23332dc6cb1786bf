import type { ReactNode, RefObject } from 'react';
import { classes } from './classes.ts';
import { PageRows } from './page-rows.tsx';
import styles from './plain-table.module.css';
import { Bar } from './skeleton.tsx';
import { HeadCell } from './table-head.tsx';

export interface PlainColumn<Row> {
  readonly id: string;
  readonly label: string;
  /** A track of a grid: `minmax(120px, 1fr)`, `80px`. */
  readonly width: string;
  readonly align?: 'right';
  readonly about?: string;
  readonly cell: (row: Row) => ReactNode;
}

interface PlainTableProps<Row> {
  readonly label: string;
  readonly columns: readonly PlainColumn<Row>[];
  readonly total: number;
  /** Undefined while the row has not come. */
  readonly rowAt: (index: number) => Row | undefined;
  readonly onRange?: (first: number, last: number) => void;
  /** What scrolls: the page, in which the table comes after other parts. */
  readonly scroller: RefObject<HTMLElement | null>;
  /** Texts are not cut: rows are as high as they need. */
  readonly isWrapped?: boolean;
}

const ROW = 36;
const HEAD = 28;

/** A table of any length to be read: only the rows that are seen are in the page. */
export function PlainTable<Row>(props: PlainTableProps<Row>) {
  const { label, columns, total, rowAt, onRange, scroller, isWrapped = false } = props;
  const style = { '--columns': columns.map(({ width }) => width).join(' ') };
  return (
    <div role="table" aria-label={label} aria-rowcount={total + 1} style={style} className={styles.table}>
      <div role="row" aria-rowindex={1} className={styles.head}>
        {columns.map(({ id, label: name, align, about }) => (
          <HeadCell key={id} align={align ?? 'left'} title={about}>
            {name}
          </HeadCell>
        ))}
      </div>
      <PageRows
        count={total}
        rowHeight={ROW}
        isMeasured={isWrapped}
        stickyHeight={HEAD}
        scroller={scroller}
        {...(onRange !== undefined && { onRange })}
      >
        {(index, measure) => {
          const row = rowAt(index);
          return (
            <div
              ref={isWrapped ? measure : undefined}
              data-index={index}
              role="row"
              aria-rowindex={index + 2}
              aria-busy={row === undefined}
              className={classes(styles.row, isWrapped && styles.wrapped)}
            >
              {row === undefined ? (
                <span role="cell">
                  <Bar width="60%" />
                </span>
              ) : (
                columns.map(({ id, align, cell }) => (
                  <span key={id} role="cell" className={align === 'right' ? styles.right : undefined}>
                    {cell(row)}
                  </span>
                ))
              )}
            </div>
          );
        }}
      </PageRows>
    </div>
  );
}
