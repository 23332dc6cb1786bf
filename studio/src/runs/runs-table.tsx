import { type Ref, useMemo, useRef } from 'react';
import type { RunChange, RunItem } from '../../../src/server/api.ts';
import { COLUMN_GAP, fitColumns, gridTemplate } from '../ui/fit-columns.ts';
import type { ListColumn } from '../ui/list-columns.ts';
import { ListHead } from '../ui/list-head.tsx';
import { useWidth } from '../ui/use-width.ts';
import { VirtualRows, type VirtualRowsHandle } from '../ui/virtual-rows.tsx';
import { RunRow, rowId } from './run-row.tsx';
import styles from './runs-table.module.css';

const ROW = 28;
const SELECT = { id: 'select', min: 24, rank: -1 };
/** The padding of a row, and the bar that scrolls. */
const SIDES = 24 + 16;

interface RunsTableProps {
  readonly total: number;
  readonly rowAt: (index: number) => RunItem | undefined;
  readonly onRange: (first: number, last: number) => void;
  readonly columns: readonly ListColumn[];
  readonly changes: ReadonlyMap<string, RunChange>;
  readonly sort: string;
  readonly onSort: (sort: string) => void;
  readonly isGrouped: boolean;
  readonly isStale: boolean;
  readonly cursor: number;
  readonly selected: ReadonlySet<string>;
  readonly onToggle: (index: number, isRange: boolean) => void;
  readonly onOpen: (run: string, index: number) => void;
  readonly rows: Ref<VirtualRowsHandle>;
  /** The row that is first when the list appears; 12.5 is half of a row on. */
  readonly initialIndex: number | undefined;
  /** How much of the first row is scrolled away, as a share of it. */
  readonly onWithin: (share: number) => void;
}

export function RunsTable(props: RunsTableProps) {
  const { total, rowAt, columns, cursor, selected, sort } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const width = useWidth(scroller);
  const shown = useMemo(() => fitColumns(columns, width - SIDES - SELECT.min - COLUMN_GAP), [columns, width]);
  const template = gridTemplate([SELECT, ...shown]);
  const groupOf = (index: number) => {
    if (!props.isGrouped) return undefined;
    const isFirst = index === 0 || rowAt(index)?.facts?.eval !== rowAt(index - 1)?.facts?.eval;
    return isFirst ? 'first' : 'other';
  };
  return (
    <div
      ref={scroller}
      role="grid"
      aria-label="Runs"
      aria-rowcount={total + 1}
      aria-colcount={shown.length + 1}
      aria-multiselectable="true"
      aria-activedescendant={cursor >= 0 ? rowId(cursor) : undefined}
      aria-busy={props.isStale}
      tabIndex={0}
      className={styles.table}
      style={{ '--columns': template }}
      data-stale={props.isStale}
      onScroll={({ currentTarget }) => props.onWithin((currentTarget.scrollTop % ROW) / ROW)}
    >
      <ListHead columns={shown} sort={sort} onSort={props.onSort} />
      <VirtualRows
        count={total}
        rowHeight={ROW}
        headHeight={ROW}
        scroller={scroller}
        onRange={props.onRange}
        ref={props.rows}
        initialIndex={props.initialIndex}
      >
        {(index) => {
          const item = rowAt(index);
          return (
            <RunRow
              item={item}
              index={index}
              columns={shown}
              change={item === undefined ? undefined : props.changes.get(item.run)}
              isCursor={index === cursor}
              isSelected={item !== undefined && selected.has(item.run)}
              group={groupOf(index)}
              onToggle={props.onToggle}
              onOpen={props.onOpen}
            />
          );
        }}
      </VirtualRows>
    </div>
  );
}
