import { type ReactNode, useEffect } from 'react';
import styles from './page-frame.module.css';

interface PageFrameProps {
  /** Of the window; also the page's first heading unless `head` has one. */
  readonly title: string;
  /** In the place of the plain heading. */
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
      {head ?? (
        <header className={styles.head}>
          <h1>{title}</h1>
        </header>
      )}
      <div className={styles.body}>{children}</div>
    </div>
  );
}
