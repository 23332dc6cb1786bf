import { type TimeScale, timeTicks } from './time-scale.ts';
import styles from './timeline-chart.module.css';

const TICK_WIDTH = 84;

interface TimeAxisProps {
  readonly scale: TimeScale;
  readonly startMs: number;
  readonly lengthMs: number;
  readonly bottom: number;
}

/** Round moments of the clock. */
export function TimeAxis({ scale, startMs, lengthMs, bottom }: TimeAxisProps) {
  const most = Math.max(2, Math.floor((scale.right - scale.left) / TICK_WIDTH));
  const aheadMs = -new Date(startMs).getTimezoneOffset() * 60_000;
  const ticks = timeTicks({ startMs, lengthMs, most, aheadMs }).filter(
    ({ at }) => !scale.cuts.some(({ from, to }) => at > from && at < to),
  );
  return (
    <g>
      {ticks.map(({ at, label }) => (
        <g key={at}>
          <line className={styles.tick} x1={scale.x(at)} x2={scale.x(at)} y1={12} y2={bottom} />
          <text className={styles.label} x={scale.x(at)} y={bottom + 14} textAnchor="middle">
            {label}
          </text>
        </g>
      ))}
    </g>
  );
}
