import { type RefObject, useCallback, useMemo, useRef } from 'react';
import { COLUMN_GAP, fitColumns, gridTemplate } from '../../ui/fit-columns.ts';
import type { ListColumn } from '../../ui/list-columns.ts';
import { ListHead } from '../../ui/list-head.tsx';
import { PageRows } from '../../ui/page-rows.tsx';
import { useWidth } from '../../ui/use-width.ts';
import type { RunAddress } from '../use-run-address.ts';
import { SampleRow, sampleRowId } from './sample-row.tsx';
import styles from './samples-table.module.css';
import { useSampleStrips } from './use-sample-strips.ts';
import type { SamplesList } from './use-samples-list.ts';

const ROW = 28;
const SELECT = { id: 'select', min: 24, rank: -1 };
const SIDES = 24;
/** The chevron that shows the epochs, in the first column. */
const FOLD = 22;

interface SamplesTableProps {
  readonly address: RunAddress;
  readonly list: SamplesList;
  readonly columns: readonly ListColumn[];
  readonly epochs: number;
  readonly evalName: string | undefined;
  readonly scroller: RefObject<HTMLElement | null>;
  /** What sticks to the top of the page above the heads, in pixels. */
  readonly stuck: number;
}

/** One row a sample, its epochs folded into it. */
export function SamplesTable(props: SamplesTableProps) {
  const { address, list, columns, epochs, evalName, scroller, stuck } = props;
  const table = useRef<HTMLDivElement>(null);
  const width = useWidth(table);
  const isTree = epochs > 1;
  const shown = useMemo(() => {
    const [first, ...others] = columns;
    const widened =
      isTree && first !== undefined ? [{ ...first, min: first.min + FOLD }, ...others] : columns;
    return fitColumns(widened, width - SIDES - SELECT.min - COLUMN_GAP);
  }, [columns, width, isTree]);
  const { q, sort, score } = address;
  const search = useMemo(() => ({ q, sort, score }), [q, sort, score]);
  const { pages, rows, folded, sampleAt } = list;
  const { fold } = folded;
  const openSamples = useMemo(() => new Set(folded.open.map(({ index }) => index)), [folded.open]);
  const strips = useSampleStrips({
    address,
    sampleAt,
    total: pages.total,
    isOff: !shown.some(({ id }) => id === 'history'),
  });
  const { onRange } = list;
  const { onRange: onStripRange } = strips;
  const onRows = useCallback(
    (first: number, last: number) => {
      onRange(first, last);
      onStripRange(fold.at(first).sample, fold.at(last).sample);
    },
    [onRange, onStripRange, fold],
  );
  const decides = pages.head.data?.score;
  return (
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: both kinds of grid have a name
    <div
      ref={table}
      role={isTree ? 'treegrid' : 'grid'}
      aria-label="Samples"
      aria-rowcount={fold.count + 1}
      aria-colcount={shown.length + 1}
      aria-multiselectable="true"
      aria-activedescendant={rows.cursor >= 0 ? sampleRowId(rows.cursor) : undefined}
      aria-busy={pages.isStale}
      tabIndex={0}
      className={styles.table}
      style={{ '--columns': gridTemplate([SELECT, ...shown]) }}
      data-stale={pages.isStale}
      onPointerEnter={() => list.onPoint(true)}
      onPointerLeave={() => list.onPoint(false)}
    >
      <ListHead columns={shown} sort={sort} onSort={(next) => address.change({ sort: next })} />
      <PageRows
        count={fold.count}
        rowHeight={ROW}
        stickyHeight={stuck + ROW}
        scroller={scroller}
        onRange={onRows}
        ref={list.handle}
      >
        {(row) => {
          const { sample, epoch } = fold.at(row);
          const item = sampleAt(sample);
          const id = epoch === undefined ? String(item?.id) : `${item?.id}@${item?.epochs[epoch]?.epoch}`;
          return (
            <SampleRow
              item={item}
              epoch={epoch}
              row={row}
              sample={sample}
              columns={shown}
              score={decides}
              run={address.run}
              search={search}
              strip={epoch === undefined ? strips.stripOf(item) : undefined}
              evalName={evalName}
              isTree={isTree}
              isOpen={openSamples.has(sample)}
              isCursor={row === rows.cursor}
              isSelected={item !== undefined && rows.selected.has(id)}
              onToggle={rows.toggle}
              onFold={folded.toggle}
              onOpen={list.open}
            />
          );
        }}
      </PageRows>
    </div>
  );
}
