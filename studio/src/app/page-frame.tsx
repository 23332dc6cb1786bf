import { type ReactNode, useEffect } from 'react';
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
  useEffect(() => {
    document.title = `${title} · Holdfast`;
  }, [title]);
  return (
    <div className={styles.frame}>
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
