import type { ReactNode } from 'react';
import { classes } from './classes.ts';
import styles from './table-head.module.css';

interface HeadCellProps {
  readonly children: ReactNode;
  readonly align?: 'left' | 'right';
  /** How the table is sorted by this column now; undefined when it is by another. */
  readonly sorted?: 'up' | 'down' | undefined;
  readonly onSort?: (() => void) | undefined;
  readonly title?: string | undefined;
  readonly colIndex?: number;
  readonly className?: string | undefined;
}

/** The head of one column, within a row of `role="row"`. A click sorts; the arrow says which way. */
export function HeadCell({
  children,
  align = 'left',
  sorted,
  onSort,
  title,
  colIndex,
  className,
}: HeadCellProps) {
  const ariaSort = sorted === undefined ? undefined : sorted === 'up' ? 'ascending' : 'descending';
  const arrow = sorted === undefined ? '' : sorted === 'up' ? '↑' : '↓';
  return (
    <div
      role="columnheader"
      aria-sort={ariaSort}
      aria-colindex={colIndex}
      className={classes(styles.cell, align === 'right' && styles.right, className)}
      title={title}
    >
      {onSort === undefined ? (
        <span className={styles.text}>{children}</span>
      ) : (
        <button
          type="button"
          className={classes(styles.sort, sorted !== undefined && styles.isSorted)}
          onClick={onSort}
        >
          <span className={styles.text}>{children}</span>
          <span className={styles.arrow} aria-hidden="true">
            {arrow}
          </span>
        </button>
      )}
    </div>
  );
}
