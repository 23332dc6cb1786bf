import { type Ref, useMemo, useRef } from 'react';
import type { SampleItem } from '../../../../src/server/api.ts';
import { COLUMN_GAP, fitColumns, gridTemplate } from '../../ui/fit-columns.ts';
import { nextSort, sortedBy } from '../../ui/sorting.ts';
import { HeadCell } from '../../ui/table-head.tsx';
import { useWidth } from '../../ui/use-width.ts';
import { VirtualRows, type VirtualRowsHandle } from '../../ui/virtual-rows.tsx';
import type { FoldedRows } from './folded-rows.ts';
import type { SampleColumn } from './sample-columns.ts';
import { rowId, SampleRow } from './sample-row.tsx';
import styles from './samples.module.css';

const ROW = 28;
const SELECT = { id: 'select', min: 24, rank: -1 };
/** The padding of a row, and the bar that scrolls. */
const SIDES = 24 + 16;

interface SamplesTableProps {
  readonly run: string;
  readonly list: { readonly q: string; readonly sort: string; readonly score: string };
  readonly rows: FoldedRows;
  readonly itemAt: (sample: number) => SampleItem | undefined;
  readonly onRange: (first: number, last: number) => void;
  readonly columns: readonly SampleColumn[];
  readonly onSort: (sort: string) => void;
  readonly isStale: boolean;
  readonly cursor: number;
  readonly selected: ReadonlySet<string>;
  readonly unfolded: ReadonlySet<string>;
  readonly onFold: (row: number) => void;
  readonly onToggle: (row: number, isRange: boolean) => void;
  readonly onOpen: (row: number) => void;
  readonly onPointed: (isPointed: boolean) => void;
  readonly handle: Ref<VirtualRowsHandle>;
  readonly initialIndex: number | undefined;
}

/** The samples of a run, a row each; those that are unfolded have a row for each epoch below them. */
export function SamplesTable(props: SamplesTableProps) {
  const { rows, itemAt, columns, cursor, list } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const width = useWidth(scroller);
  const shown = useMemo(() => fitColumns(columns, width - SIDES - SELECT.min - COLUMN_GAP), [columns, width]);
  return (
    <div
      ref={scroller}
      role="treegrid"
      aria-label="Samples"
      aria-rowcount={rows.count + 1}
      aria-colcount={shown.length + 1}
      aria-multiselectable="true"
      aria-activedescendant={cursor >= 0 ? rowId(cursor) : undefined}
      aria-busy={props.isStale}
      tabIndex={0}
      className={styles.table}
      style={{ '--columns': gridTemplate([SELECT, ...shown]) }}
      data-stale={props.isStale}
      onPointerEnter={() => props.onPointed(true)}
      onPointerLeave={() => props.onPointed(false)}
    >
      <Head columns={shown} sort={list.sort} onSort={props.onSort} />
      <VirtualRows
        count={rows.count}
        rowHeight={ROW}
        headHeight={ROW}
        scroller={scroller}
        onRange={props.onRange}
        ref={props.handle}
        initialIndex={props.initialIndex}
      >
        {(index) => {
          const { sample, epoch } = rows.at(index);
          const item = itemAt(sample);
          const id = item === undefined ? '' : String(item.id);
          return (
            <SampleRow
              item={item}
              epochAt={epoch}
              run={props.run}
              list={list}
              index={index}
              columns={shown}
              isCursor={index === cursor}
              isSelected={epoch === undefined && props.selected.has(id)}
              isOpen={props.unfolded.has(id)}
              onFold={props.onFold}
              onToggle={props.onToggle}
              onOpen={props.onOpen}
            />
          );
        }}
      </VirtualRows>
    </div>
  );
}

interface HeadProps extends Pick<SamplesTableProps, 'columns' | 'onSort'> {
  readonly sort: string;
}

function Head({ columns, sort, onSort }: HeadProps) {
  return (
    <div role="row" aria-rowindex={1} className={styles.head}>
      <div role="columnheader" aria-colindex={1}>
        <span className="visually-hidden">Selected</span>
      </div>
      {columns.map((column, at) => (
        <HeadCell
          key={column.id}
          colIndex={at + 2}
          align={column.align ?? 'left'}
          title={column.about}
          sorted={sortedBy(column, sort)}
          onSort={column.sort === undefined ? undefined : () => onSort(nextSort(column, sort))}
        >
          {column.label}
        </HeadCell>
      ))}
    </div>
  );
}
