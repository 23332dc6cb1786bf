import { counted } from './counted.ts';
import { formatScore } from './format.ts';
import { linear, sparkDomain } from './spark-scale.ts';
import styles from './sparkline.module.css';

export interface SparkPoint {
  readonly value: number;
  readonly low?: number | undefined;
  readonly high?: number | undefined;
}

interface SparklineProps {
  readonly points: readonly SparkPoint[];
  readonly width?: number;
  readonly height?: number;
  /** The ends of the axis; from the points when it is absent. */
  readonly domain?: readonly [number, number];
  readonly label?: string;
}

/** A trend: the line, its interval as a band, the last point as a dot. */
export function Sparkline({ points, width = 96, height = 20, domain, label }: SparklineProps) {
  const known = points.filter(({ value }) => Number.isFinite(value));
  const last = known.at(-1);
  if (last === undefined) return null;
  const x = linear([0, Math.max(1, known.length - 1)], [3, width - 4]);
  const y = linear(domain ?? sparkDomain(known), [height - 2, 2]);
  const line = known.map(({ value }, index) => `${round(x(index))},${round(y(value))}`).join(' ');
  const lows = known.map(({ value, low }, index) => `${round(x(index))},${round(y(low ?? value))}`);
  const highs = known.map(({ value, high }, index) => `${round(x(index))},${round(y(high ?? value))}`);
  const said =
    label ??
    `trend of ${counted(known.length, 'run')}, from ${formatScore(known[0]?.value ?? 0)} to ${formatScore(last.value)}`;
  return (
    <svg className={styles.spark} width={width} height={height} viewBox={`0 0 ${width} ${height}`} role="img">
      <title>{said}</title>
      <polygon className={styles.band} points={[...highs, ...lows.reverse()].join(' ')} />
      <polyline className={styles.line} points={line} />
      <circle className={styles.dot} cx={round(x(known.length - 1))} cy={round(y(last.value))} r={2} />
    </svg>
  );
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
