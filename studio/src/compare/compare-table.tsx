import { type RefObject, useMemo, useRef } from 'react';
import type { CompareView } from '../../../src/server/api.ts';
import { gridTemplate } from '../ui/fit-columns.ts';
import { PageRows } from '../ui/page-rows.tsx';
import { useWidth } from '../ui/use-width.ts';
import { compareColumns } from './compare-columns.ts';
import { CompareHead } from './compare-head.tsx';
import { CompareRow, compareRowId } from './compare-row.tsx';
import styles from './compare-table.module.css';
import type { CompareAddress } from './use-compare.ts';
import type { useCompareRows } from './use-compare-rows.ts';
import { useRunCounts } from './use-run-counts.ts';

const ROW = 28;
const HEAD = 52;
const SIDES = 32;

interface CompareTableProps {
  readonly view: CompareView;
  readonly address: CompareAddress;
  /** The run that cost, turns and time are told of, beside the base. */
  readonly other: number;
  readonly list: ReturnType<typeof useCompareRows>;
  readonly scroller: RefObject<HTMLElement | null>;
}

/** One row a sample, what went down first. */
export function CompareTable({ view, address, other, list, scroller }: CompareTableProps) {
  const table = useRef<HTMLDivElement>(null);
  const width = useWidth(table);
  const runs = view.others.length + 1;
  const columns = useMemo(() => compareColumns(runs, other, width - SIDES), [runs, other, width]);
  const counts = useRunCounts(address);
  const { pages, rows } = list;
  return (
    <div
      ref={table}
      role="grid"
      aria-label="Samples that are compared"
      aria-rowcount={pages.total + 1}
      aria-colcount={columns.length}
      aria-activedescendant={rows.cursor >= 0 ? compareRowId(rows.cursor) : undefined}
      aria-busy={pages.isStale}
      tabIndex={0}
      className={styles.table}
      style={{ '--columns': gridTemplate(columns) }}
      data-stale={pages.isStale}
    >
      <CompareHead
        view={view}
        columns={columns}
        counts={counts}
        sort={address.sort}
        onSort={(sort) => address.set({ sort })}
        q={address.q}
        onFilter={(q) => address.set({ q })}
      />
      <PageRows
        count={pages.total}
        rowHeight={ROW}
        stickyHeight={HEAD}
        scroller={scroller}
        onRange={list.onRange}
        ref={list.handle}
      >
        {(index) => (
          <CompareRow
            sample={pages.rowAt(index)}
            index={index}
            columns={columns}
            pair={list.pair}
            isCursor={index === rows.cursor}
            onOpen={list.open}
          />
        )}
      </PageRows>
    </div>
  );
}
