import { scaleLinear } from 'd3-scale';
import { classes } from './classes.ts';
import { formatScore } from './format.ts';
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
  const x = scaleLinear([0, Math.max(1, known.length - 1)], [3, width - 4]);
  const y = scaleLinear(domain ?? domainOf(known), [height - 3, 3]).clamp(true);
  const line = known.map(({ value }, index) => `${round(x(index))},${round(y(value))}`).join(' ');
  const lows = known.map(({ value, low }, index) => `${round(x(index))},${round(y(low ?? value))}`);
  const highs = known.map(({ value, high }, index) => `${round(x(index))},${round(y(high ?? value))}`);
  const said =
    label ??
    `trend of ${known.length} runs, from ${formatScore(known[0]?.value ?? 0)} to ${formatScore(last.value)}`;
  return (
    <svg
      className={classes(styles.spark)}
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      role="img"
    >
      <title>{said}</title>
      <polygon className={styles.band} points={[...highs, ...lows.reverse()].join(' ')} />
      <polyline className={styles.line} points={line} />
      <circle className={styles.dot} cx={round(x(known.length - 1))} cy={round(y(last.value))} r={2} />
    </svg>
  );
}

/** Scores between 0 and 1 share one axis, so that two lines beside each other can be compared. */
function domainOf(points: readonly SparkPoint[]): readonly [number, number] {
  const lows = points.map(({ value, low }) => low ?? value);
  const highs = points.map(({ value, high }) => high ?? value);
  const [low, high] = [Math.min(...lows), Math.max(...highs)];
  if (low >= 0 && high <= 1) return [0, 1];
  return low === high ? [low - 1, high + 1] : [low, high];
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
