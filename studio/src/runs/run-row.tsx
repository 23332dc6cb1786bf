import { Link } from '@tanstack/react-router';
import { type CSSProperties, type MouseEvent, memo } from 'react';
import type { RunChange, RunItem } from '../../../src/server/api.ts';
import { lookOfRun } from '../../../src/views/index.ts';
import { classes } from '../ui/classes.ts';
import { Badge } from '../ui/outcome.tsx';
import { shownAs } from '../ui/outcomes.ts';
import { Bar } from '../ui/skeleton.tsx';
import type { RunColumn } from './columns.ts';
import { cellOf, Text } from './run-cells.tsx';
import styles from './run-row.module.css';

export interface RunRowProps {
  /** Undefined while it has not come. */
  readonly item: RunItem | undefined;
  readonly index: number;
  readonly columns: readonly RunColumn[];
  readonly change: RunChange | undefined;
  readonly isCursor: boolean;
  readonly isSelected: boolean;
  /** When rows are grouped by their eval: whether it is the first of its group. */
  readonly group: 'first' | 'other' | undefined;
  readonly onToggle: (index: number, isRange: boolean) => void;
  readonly onOpen: (run: string, index: number) => void;
}

export const rowId = (index: number) => `run-${index}`;

/** One run. A click opens it; its name is a link, for whoever wants a tab. */
export const RunRow = memo(function RunRow(props: RunRowProps) {
  const { item, index, isCursor, isSelected, group } = props;
  if (item === undefined) return <WaitingRow index={index} />;
  const open = (event: MouseEvent) => {
    const isControl =
      event.target instanceof Element && event.target.closest('a, button, input, label') !== null;
    const isSelecting = getSelection()?.isCollapsed === false;
    if (!isControl && !isSelecting && event.button === 0 && !event.metaKey && !event.ctrlKey)
      props.onOpen(item.run, index);
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Enter opens the row that the grid points to
    <div
      id={rowId(index)}
      role="row"
      aria-rowindex={index + 2}
      aria-selected={isSelected}
      className={classes(
        styles.row,
        isCursor && styles.isCursor,
        isSelected && styles.isSelected,
        group === 'first' && styles.isGroupStart,
      )}
      onClick={open}
    >
      <SelectCell {...props} item={item} />
      <Cells {...props} item={item} />
    </div>
  );
});

type Known = RunRowProps & { readonly item: RunItem };

function SelectCell({ item, index, isSelected, onToggle }: Known) {
  const name = item.facts === undefined ? item.name : `${item.facts.eval}, ${item.facts.target}`;
  return (
    <Cell className={styles.select} index={1}>
      <label className={styles.check}>
        <input
          type="checkbox"
          tabIndex={-1}
          checked={isSelected}
          aria-label={`Select ${name}`}
          onClick={(event) => onToggle(index, event.shiftKey)}
          onChange={() => undefined}
        />
      </label>
    </Cell>
  );
}

function Cells({ item, columns, change, group }: Known) {
  const { facts } = item;
  if (item.damage !== undefined || facts === undefined) return <DamagedCells item={item} />;
  return columns.map((column, at) => (
    <Cell key={column.id} index={at + 2} className={column.align === 'right' ? styles.right : undefined}>
      {column.id === 'eval' ? (
        <EvalCell item={item} isRepeated={group === 'other'} />
      ) : (
        cellOf(column.id, { item, facts, change })
      )}
    </Cell>
  ));
}

function EvalCell({ item, isRepeated }: { readonly item: RunItem; readonly isRepeated: boolean }) {
  const look = shownAs(lookOfRun(item));
  return (
    <>
      <Link
        to="/runs/$run/{-$tab}"
        params={{ run: item.run }}
        tabIndex={-1}
        className={classes(styles.name, isRepeated && styles.isRepeated)}
        title={item.facts?.eval}
      >
        {item.facts?.eval}
      </Link>
      {item.facts?.status !== 'success' && (
        <Badge tone={look.tone} glyph={look.glyph}>
          {look.word}
        </Badge>
      )}
      {item.removed === true && <Badge tone="quiet">removed</Badge>}
    </>
  );
}

/** A run that cannot be read is one row that says so; the list goes on. */
function DamagedCells({ item }: { readonly item: RunItem }) {
  return (
    <Cell index={2} className={styles.damaged}>
      <Badge tone="error" glyph="✕">
        damaged
      </Badge>
      <Link to="/runs/$run/{-$tab}" params={{ run: item.run }} tabIndex={-1} className={styles.name}>
        {item.name}
      </Link>
      <Text text={item.damage ?? 'Nothing is known of it.'} />
    </Cell>
  );
}

function Cell({
  index,
  className,
  children,
}: {
  readonly index: number;
  readonly className?: string | undefined;
  readonly children: React.ReactNode;
}) {
  return (
    <div role="gridcell" aria-colindex={index} className={classes(styles.cell, className)}>
      {children}
    </div>
  );
}

function WaitingRow({ index }: { readonly index: number }) {
  const style: CSSProperties = { gridColumn: '2 / -1' };
  return (
    <div id={rowId(index)} role="row" aria-rowindex={index + 2} aria-busy="true" className={styles.row}>
      <div role="gridcell" style={style}>
        <Bar width={`${24 + ((index * 37) % 40)}%`} />
      </div>
    </div>
  );
}
