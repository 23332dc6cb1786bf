import type { CSSProperties, ReactNode } from 'react';
import styles from './skeleton.module.css';

interface SkeletonRowsProps {
  readonly rows?: number;
  readonly rowHeight?: number;
  /** What is waited for; shown after a second. */
  readonly children?: ReactNode;
}

/** Rows of the real height while they are waited for. Nothing is seen for the first moment, so that what comes at once does not flicker. */
export function SkeletonRows({ rows = 12, rowHeight = 28, children }: SkeletonRowsProps) {
  return (
    <div className={styles.rows} role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are all alike, and never move
        <div key={index} className={styles.row} style={{ height: rowHeight }}>
          <Bar width={`${30 + ((index * 37) % 55)}%`} />
        </div>
      ))}
      {children !== undefined && <p className={styles.said}>{children}</p>}
    </div>
  );
}

export function Bar({ width }: { readonly width: CSSProperties['width'] }) {
  return <span className={styles.bar} style={{ width }} />;
}
