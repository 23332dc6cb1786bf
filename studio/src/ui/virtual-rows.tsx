import { useVirtualizer, type Virtualizer } from '@tanstack/react-virtual';
import { type ReactNode, type Ref, type RefObject, useEffect, useImperativeHandle } from 'react';
import styles from './virtual-rows.module.css';

export interface VirtualRowsHandle {
  /** Brings a row into view; does nothing when it is there. */
  show(index: number, align?: 'auto' | 'start' | 'center' | 'end'): void;
  /** The first row that is seen. */
  firstVisible(): number;
}

interface VirtualRowsProps {
  readonly count: number;
  /** Of every row, or the guess for one that has not been measured. */
  readonly rowHeight: number;
  /** Rows have heights of their own: give each of them `ref={measure}` and `data-index`. */
  readonly isMeasured?: boolean;
  /** What scrolls. It must have a height of its own. */
  readonly scroller: RefObject<HTMLElement | null>;
  /** What stays above the rows within the scroller, in pixels. */
  readonly headHeight?: number;
  readonly overscan?: number;
  /** The row that is first when the list appears. */
  readonly initialIndex?: number | undefined;
  readonly keyOf?: (index: number) => string | number;
  /** Which rows are seen, from the first to the last. */
  readonly onRange?: (first: number, last: number) => void;
  readonly ref?: Ref<VirtualRowsHandle>;
  readonly children: (index: number, measure: (row: Element | null) => void) => ReactNode;
}

/** Only the rows that are seen are in the page, however many there are. */
export function VirtualRows(props: VirtualRowsProps) {
  const { count, rowHeight, scroller, headHeight = 0, overscan = 8, keyOf, onRange, children } = props;
  const rows = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan,
    initialOffset: (props.initialIndex ?? 0) * rowHeight,
    scrollPaddingStart: headHeight,
    scrollMargin: headHeight,
    ...(keyOf !== undefined && { getItemKey: keyOf }),
  });
  useImperativeHandle(props.ref, () => handleOf(rows, headHeight), [rows, headHeight]);
  const first = firstSeen(rows, headHeight);
  const last = rows.range?.endIndex ?? 0;
  useEffect(() => {
    if (count > 0) onRange?.(first, last);
  }, [onRange, first, last, count]);
  return (
    <div role="rowgroup" className={styles.all} style={{ height: rows.getTotalSize() }}>
      {rows.getVirtualItems().map((item) => (
        <div
          key={item.key}
          role="presentation"
          data-index={item.index}
          className={styles.one}
          style={{
            transform: `translateY(${item.start - headHeight}px)`,
            height: props.isMeasured === true ? undefined : item.size,
          }}
        >
          {children(item.index, rows.measureElement)}
        </div>
      ))}
    </div>
  );
}

/** The first row that the head does not cover. */
function firstSeen(rows: Virtualizer<HTMLElement, Element>, headHeight: number): number {
  const top = (rows.scrollOffset ?? 0) + headHeight;
  return rows.getVirtualItems().find(({ end }) => end > top)?.index ?? 0;
}

function handleOf(rows: Virtualizer<HTMLElement, Element>, headHeight: number): VirtualRowsHandle {
  return {
    show: (index, align = 'auto') => rows.scrollToIndex(index, { align }),
    firstVisible: () => firstSeen(rows, headHeight),
  };
}
