import { useVirtualizer } from '@tanstack/react-virtual';
import {
  type ReactNode,
  type Ref,
  type RefObject,
  useCallback,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import styles from './virtual-rows.module.css';
import type { VirtualRowsHandle } from './virtual-rows.tsx';

interface PageRowsProps {
  readonly count: number;
  readonly rowHeight: number;
  /** Rows have heights of their own: give each of them `ref={measure}` and `data-index`. */
  readonly isMeasured?: boolean;
  /** What scrolls: the page, in which the rows come after other parts. */
  readonly scroller: RefObject<HTMLElement | null>;
  /** What sticks to the top of the scroller over the rows, in pixels. */
  readonly stickyHeight?: number;
  readonly overscan?: number;
  readonly keyOf?: (index: number) => string | number;
  readonly onRange?: (first: number, last: number) => void;
  /** What the part with the rows is, for those who cannot see it; `presentation` where it is no table. */
  readonly role?: 'rowgroup' | 'presentation';
  readonly ref?: Ref<VirtualRowsHandle>;
  readonly children: (index: number, measure: (row: Element | null) => void) => ReactNode;
}

/** Virtual rows of a page that scrolls as a whole: where they begin is measured, and again whenever something above them grows. */
export function PageRows(props: PageRowsProps) {
  const { count, rowHeight, scroller, stickyHeight = 0, overscan = 8, keyOf, onRange, children } = props;
  const all = useRef<HTMLDivElement>(null);
  const top = useTopWithin(all, scroller);
  // What is around the rows is known only after they have been there once.
  const [, setIsThere] = useState(false);
  useEffect(() => setIsThere(true), []);
  const rows = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan,
    scrollMargin: top,
    scrollPaddingStart: stickyHeight,
    ...(keyOf !== undefined && { getItemKey: keyOf }),
  });
  /** The first row that nothing covers. */
  const firstSeen = () => {
    const from = (rows.scrollOffset ?? 0) + stickyHeight;
    return rows.getVirtualItems().find(({ end }) => end > from)?.index ?? 0;
  };
  useImperativeHandle(props.ref, () => ({
    show: (index, align = 'auto') => rows.scrollToIndex(index, { align }),
    firstVisible: firstSeen,
  }));
  const first = firstSeen();
  const last = rows.range?.endIndex ?? 0;
  useEffect(() => {
    if (count > 0) onRange?.(first, last);
  }, [onRange, first, last, count]);
  return (
    <div
      ref={all}
      role={props.role ?? 'rowgroup'}
      className={styles.all}
      style={{ height: rows.getTotalSize() }}
    >
      {rows.getVirtualItems().map((item) => (
        <div
          key={item.key}
          role="presentation"
          className={styles.one}
          style={{
            transform: `translateY(${item.start - top}px)`,
            height: props.isMeasured === true ? undefined : item.size,
          }}
        >
          {children(item.index, rows.measureElement)}
        </div>
      ))}
    </div>
  );
}

/** How far below the top of what scrolls something begins. */
function useTopWithin(inner: RefObject<HTMLElement | null>, scroller: RefObject<HTMLElement | null>): number {
  const [top, setTop] = useState(0);
  const measure = useCallback(() => {
    if (inner.current === null || scroller.current === null) return;
    const from = scroller.current.getBoundingClientRect().top - scroller.current.scrollTop;
    setTop(Math.round(inner.current.getBoundingClientRect().top - from));
  }, [inner, scroller]);
  useLayoutEffect(measure);
  useEffect(() => {
    const watched = new ResizeObserver(measure);
    for (const part of scroller.current?.children ?? []) watched.observe(part);
    return () => watched.disconnect();
  }, [measure, scroller]);
  return top;
}
