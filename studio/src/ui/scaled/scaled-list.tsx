import { type ReactNode, type Ref, useImperativeHandle } from 'react';
import { classes } from '../classes.ts';
import styles from './scaled-list.module.css';
import { type ScaledListState, type ScaledRows, useScaledScroll } from './use-scaled-scroll.ts';

/** Where a list is, in words that hold when heights are others: the first row, and how much of it is above. */
export interface ListPosition {
  readonly row: number;
  readonly above: number;
}

export interface ScaledListHandle {
  /** Brings a row into view: to the top, to the middle, as little as is needed, or to the middle only when it is not seen. */
  show(row: number, align?: 'start' | 'center' | 'auto' | 'seen'): void;
  toEnd(): void;
  position(): ListPosition;
  restore(position: ListPosition): void;
  /** Its height is to be measured again, from a new guess. */
  forget(row: number): void;
  /** How far it is scrolled, 0 to 1, and how much is seen at once. */
  extent(): { readonly from: number; readonly to: number };
  scrollToShare(share: number): void;
  readonly element: HTMLElement | null;
}

interface ScaledListProps extends ScaledRows {
  readonly label: string;
  readonly role?: 'feed' | 'list' | 'group';
  readonly className?: string | undefined;
  readonly keyOf?: (row: number) => string | number;
  readonly ref?: Ref<ScaledListHandle>;
  readonly children: (row: number) => ReactNode;
}

/** Rows of any height, as many as there are: also more than a browser can scroll. Rows must not have margins. */
export function ScaledList(props: ScaledListProps) {
  const { label, role = 'group', className, keyOf, ref, children, ...rows } = props;
  const { list, scroller, spacer, inside } = useScaledScroll(rows);
  useImperativeHandle(ref, () => handleOf(list, () => scroller.current), [list, scroller]);
  const { first, last } = list.renderRange();
  const end = Math.min(last, rows.count - 1);
  return (
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: each of the roles has a name
    <div
      ref={scroller}
      className={classes(styles.scroller, className)}
      role={role}
      aria-label={label}
      tabIndex={0}
      data-scaled-list=""
    >
      <div ref={spacer} className={styles.spacer} role="presentation">
        <div ref={inside} className={styles.rows} role="presentation">
          {Array.from({ length: Math.max(0, end - first + 1) }, (_, at) => (
            <div key={keyOf === undefined ? first + at : keyOf(first + at)} role="presentation">
              {children(first + at)}
            </div>
          ))}
        </div>
      </div>
    </div>
  );
}

function handleOf(list: ScaledListState, element: () => HTMLElement | null): ScaledListHandle {
  const { scroll } = list;
  return {
    show: (row, align = 'auto') => {
      const top = scroll.heights.topOf(row);
      const height = scroll.heights.heightOf(row);
      if (align === 'start') return list.goTo(top);
      const isSeen = top >= scroll.top && top + height <= scroll.top + scroll.view;
      if (align === 'seen' && isSeen) return;
      if (align !== 'auto') return list.goTo(top - Math.max(0, (scroll.view - height) / 2));
      if (top < scroll.top || height > scroll.view) list.goTo(top);
      else if (top + height > scroll.top + scroll.view) list.goTo(top + height - scroll.view);
    },
    toEnd: () => list.goTo(Number.POSITIVE_INFINITY),
    position: () => {
      const row = scroll.heights.rowAt(scroll.top);
      return { row, above: scroll.top - scroll.heights.topOf(row) };
    },
    restore: ({ row, above }) => list.goTo(scroll.heights.topOf(row) + above),
    forget: (row) => list.forget(row),
    extent: () => {
      const { total } = scroll.heights;
      if (total === 0) return { from: 0, to: 1 };
      return { from: scroll.top / total, to: Math.min(1, (scroll.top + scroll.view) / total) };
    },
    scrollToShare: (share) => list.goTo(share * scroll.heights.total),
    get element() {
      return element();
    },
  };
}
