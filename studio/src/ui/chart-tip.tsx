import type { ReactNode } from 'react';
import styles from './chart-tip.module.css';

interface ChartTipProps {
  /** Within the chart, in pixels. */
  readonly x: number;
  readonly y: number;
  /** How wide the chart is: at its right half the words are put to the left. */
  readonly width: number;
  readonly children: ReactNode;
}

/** What is under the pointer or has the focus. The mark itself says the same to a screen reader. */
export function ChartTip({ x, y, width, children }: ChartTipProps) {
  const isLeft = x > width / 2;
  return (
    <div
      className={styles.tip}
      aria-hidden="true"
      style={isLeft ? { right: width - x + 12, top: y } : { left: x + 12, top: y }}
    >
      {children}
    </div>
  );
}
