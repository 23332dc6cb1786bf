import { Link } from '@tanstack/react-router';
import { type MouseEvent, memo, type ReactNode } from 'react';
import type { SampleEpoch, SampleItem } from '../../../../src/server/api.ts';
import { classes } from '../../ui/classes.ts';
import { Icon } from '../../ui/icon.tsx';
import { Bar } from '../../ui/skeleton.tsx';
import { decidingEpoch } from './deciding-epoch.ts';
import { cellOf, OutcomeCell } from './sample-cells.tsx';
import type { SampleColumn } from './sample-columns.ts';
import styles from './sample-row.module.css';

export interface SampleRowProps {
  /** Undefined while it has not come. */
  readonly item: SampleItem | undefined;
  /** Which of its epochs the row is; the sample itself when it is undefined. */
  readonly epochAt: number | undefined;
  readonly run: string;
  readonly list: { readonly q: string; readonly sort: string; readonly score: string };
  readonly index: number;
  readonly columns: readonly SampleColumn[];
  readonly isCursor: boolean;
  readonly isSelected: boolean;
  readonly isOpen: boolean;
  readonly onFold: (index: number) => void;
  readonly onToggle: (index: number, isRange: boolean) => void;
  readonly onOpen: (index: number) => void;
}

export const rowId = (index: number) => `sample-${index}`;

/** One sample with its epochs folded, or one of its epochs. A click opens it; its name is a link, for whoever wants a tab. */
export const SampleRow = memo(function SampleRow(props: SampleRowProps) {
  const { item, epochAt, index, isCursor, isSelected } = props;
  const epoch = epochAt === undefined ? undefined : item?.epochs[epochAt];
  if (item === undefined)
    return (
      <div id={rowId(index)} role="row" aria-rowindex={index + 2} aria-busy="true" className={styles.row}>
        <div role="gridcell" className={styles.waiting}>
          <Bar width={`${24 + ((index * 37) % 40)}%`} />
        </div>
      </div>
    );
  const open = (event: MouseEvent) => {
    const isControl =
      event.target instanceof Element && event.target.closest('a, button, input, label') !== null;
    const isSelecting = getSelection()?.isCollapsed === false;
    if (!isControl && !isSelecting && event.button === 0 && !event.metaKey && !event.ctrlKey)
      props.onOpen(index);
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Enter opens the row that the grid points to
    <div
      id={rowId(index)}
      role="row"
      aria-rowindex={index + 2}
      aria-selected={isSelected}
      aria-level={epoch === undefined ? 1 : 2}
      aria-expanded={epoch === undefined && item.epochs.length > 1 ? props.isOpen : undefined}
      className={classes(
        styles.row,
        isCursor && styles.isCursor,
        isSelected && styles.isSelected,
        epoch !== undefined && styles.isEpoch,
      )}
      onClick={open}
    >
      <Cell index={1}>
        {epoch === undefined && (
          <label className={styles.check}>
            <input
              type="checkbox"
              tabIndex={-1}
              checked={isSelected}
              aria-label={`Select ${item.id}`}
              onClick={(event) => props.onToggle(index, event.shiftKey)}
              onChange={() => undefined}
            />
          </label>
        )}
      </Cell>
      {props.columns.map((column, at) => (
        <Cell key={column.id} index={at + 2} isRight={column.align === 'right'}>
          {column.id === 'id' ? (
            <NameCell {...props} item={item} epoch={epoch} />
          ) : column.id === 'outcome' ? (
            <OutcomeCell item={item} epoch={epoch} />
          ) : (
            cellOf(column.id, { item, epoch })
          )}
        </Cell>
      ))}
    </div>
  );
});

type Known = SampleRowProps & { readonly item: SampleItem; readonly epoch: SampleEpoch | undefined };

function NameCell({ item, epoch, run, list, index, isOpen, onFold }: Known) {
  const isMany = item.epochs.length > 1;
  return (
    <>
      {epoch === undefined && isMany && (
        <button
          type="button"
          tabIndex={-1}
          className={styles.fold}
          aria-label={isOpen ? `Fold the epochs of ${item.id}` : `Unfold the epochs of ${item.id}`}
          onClick={() => onFold(index)}
        >
          <Icon name={isOpen ? 'chevron-down' : 'chevron-right'} size={12} />
        </button>
      )}
      <Link
        to="/runs/$run/s/$sample/$epoch"
        params={{ run, sample: String(item.id), epoch: String(epoch?.epoch ?? decidingEpoch(item)) }}
        search={list}
        tabIndex={-1}
        className={styles.name}
        title={String(item.id)}
      >
        {epoch === undefined ? String(item.id) : `epoch ${epoch.epoch}`}
      </Link>
    </>
  );
}

interface CellProps {
  readonly index: number;
  readonly isRight?: boolean;
  readonly children: ReactNode;
}

function Cell({ index, isRight = false, children }: CellProps) {
  return (
    <div role="gridcell" aria-colindex={index} className={classes(styles.cell, isRight && styles.right)}>
      {children}
    </div>
  );
}
