import { type ReactNode, useEffect, useRef } from 'react';
import styles from './page-frame.module.css';

interface PageFrameProps {
  /** Of the window; also the page's first heading unless `head` has one. */
  readonly title: string;
  /** In the place of the plain heading; null where the page has one of its own. */
  readonly head?: ReactNode;
  readonly children: ReactNode;
}

/** What every page is in: its title, and a part that fills the window and scrolls by itself. */
export function PageFrame({ title, head, children }: PageFrameProps) {
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => {
    document.title = `${title} · Holdfast`;
  }, [title]);
  useFocusOnArrival(frame);
  return (
    <div ref={frame} className={styles.frame}>
      {head === undefined ? (
        <header className={styles.head}>
          <h1>{title}</h1>
        </header>
      ) : (
        head
      )}
      <div className={styles.body}>{children}</div>
    </div>
  );
}

/** The first page is loaded by the browser, which begins at its top by itself. */
let isFirstPage = true;

/**
 * What had the focus was of the last page: it goes to the heading of this one, so that its name is read aloud and Tab goes on from
 * there; again where the heading is another one once the page has its data. A field of this page that took the focus keeps it.
 */
function useFocusOnArrival(frame: { readonly current: HTMLElement | null }): void {
  const isArrived = useRef(!isFirstPage);
  const given = useRef<HTMLElement>(undefined);
  useEffect(() => {
    isFirstPage = false;
  }, []);
  useEffect(() => {
    const heading = frame.current?.querySelector('h1');
    const { activeElement } = document;
    if (!isArrived.current || !heading || heading === given.current) return;
    if (frame.current?.contains(activeElement) || activeElement?.closest('dialog')) return;
    given.current = heading;
    heading.tabIndex = -1;
    heading.focus({ preventScroll: true });
  });
}
