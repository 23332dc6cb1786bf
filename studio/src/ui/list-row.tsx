import type { CSSProperties, MouseEvent, ReactNode } from 'react';
import { classes } from './classes.ts';
import styles from './list-row.module.css';
import { Bar } from './skeleton.tsx';

interface ListRowProps {
  readonly id: string;
  /** From 0; the head is before it. */
  readonly index: number;
  readonly isCursor: boolean;
  readonly isSelected: boolean;
  /** In a tree: how deep it is, from 1. */
  readonly level?: number | undefined;
  /** In a tree: whether what is under it is shown; undefined where nothing is. */
  readonly isOpen?: boolean | undefined;
  readonly className?: string | undefined;
  readonly onOpen: () => void;
  readonly children: ReactNode;
}

/** A row of a list. A click opens it, unless it was on a control or marked a text. */
export function ListRow(props: ListRowProps) {
  const { id, index, isCursor, isSelected, className, onOpen, children } = props;
  const open = (event: MouseEvent) => {
    const isControl =
      event.target instanceof Element && event.target.closest('a, button, input, label') !== null;
    const isSelecting = getSelection()?.isCollapsed === false;
    if (!isControl && !isSelecting && event.button === 0 && !event.metaKey && !event.ctrlKey) onOpen();
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Enter opens the row that the grid points to
    <div
      id={id}
      role="row"
      aria-rowindex={index + 2}
      aria-selected={isSelected}
      aria-level={props.level}
      aria-expanded={props.isOpen}
      className={classes(styles.row, isCursor && styles.isCursor, isSelected && styles.isSelected, className)}
      onClick={open}
    >
      {children}
    </div>
  );
}

interface ListCellProps {
  /** The number of the column, from 1. */
  readonly index: number;
  readonly align?: 'left' | 'right' | undefined;
  readonly className?: string | undefined;
  readonly children: ReactNode;
}

export function ListCell({ index, align, className, children }: ListCellProps) {
  return (
    <div
      role="gridcell"
      aria-colindex={index}
      className={classes(styles.cell, align === 'right' && styles.right, className)}
    >
      {children}
    </div>
  );
}

interface SelectCellProps {
  /** What is selected. */
  readonly name: string;
  readonly isSelected: boolean;
  readonly onToggle: (isRange: boolean) => void;
}

export function SelectCell({ name, isSelected, onToggle }: SelectCellProps) {
  return (
    <ListCell className={styles.select} index={1}>
      <label className={styles.check}>
        <input
          type="checkbox"
          tabIndex={-1}
          checked={isSelected}
          aria-label={`Select ${name}`}
          onClick={(event) => onToggle(event.shiftKey)}
          onChange={() => undefined}
        />
      </label>
    </ListCell>
  );
}

/** A row that has not come yet. */
export function WaitingRow({ id, index }: { readonly id: string; readonly index: number }) {
  const style: CSSProperties = { gridColumn: '2 / -1' };
  return (
    <div id={id} role="row" aria-rowindex={index + 2} aria-busy="true" className={styles.row}>
      <div role="gridcell" style={style}>
        <Bar width={`${24 + ((index * 37) % 40)}%`} />
      </div>
    </div>
  );
}
