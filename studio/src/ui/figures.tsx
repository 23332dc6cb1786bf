import { classes } from './classes.ts';
import styles from './figures.module.css';
import {
  formatAgo,
  formatDifference,
  formatDuration,
  formatInterval,
  formatRange,
  formatScore,
  formatTime,
  formatUsd,
} from './format.ts';
import { useNow } from './use-now.ts';

interface ScoreProps {
  readonly value: number | null;
  readonly low?: number | undefined;
  readonly high?: number | undefined;
  /** Whose score it is, for the hint on hover. */
  readonly name?: string;
  /** Leaves room for an interval also where there is none, so that numbers stand under each other. */
  readonly isAligned?: boolean;
}

/** A score with its interval: `0.734 ±0.031`, `0.911 [0.785, 0.967]`. */
export function Score({ value, low, high, name, isAligned = false }: ScoreProps) {
  if (value === null)
    return (
      <span className={styles.number}>
        <Unknown what="no score" />
        {isAligned && <span className={classes(styles.spread, styles.isAligned)} />}
      </span>
    );
  const hasSpread = low !== undefined && high !== undefined;
  const interval = hasSpread ? formatRange(low, high) : undefined;
  return (
    <span
      className={styles.number}
      title={[name, interval].filter((part) => part !== undefined).join(' · ') || undefined}
    >
      {formatScore(value)}
      {(hasSpread || isAligned) && (
        <span className={classes(styles.spread, isAligned && styles.isAligned)}>
          {hasSpread ? formatInterval({ value, low, high }) : ''}
        </span>
      )}
    </span>
  );
}

interface DeltaProps {
  readonly difference: number;
  /** Undefined while the test has not been asked. */
  readonly is?: 'real' | 'cannot tell' | 'unknown' | undefined;
  readonly isBetter?: boolean | undefined;
  readonly low?: number | undefined;
  readonly high?: number | undefined;
}

const MARKS = { real: '!', 'cannot tell': '?', unknown: '' } as const;

/** A change: the arrow is its sign; colour only where a test says that it is real, and whether it is better. */
export function Delta({ difference, is, isBetter, low, high }: DeltaProps) {
  const arrow = difference > 0 ? '▲' : difference < 0 ? '▼' : '=';
  const isReal = is === 'real';
  const interval = low !== undefined && high !== undefined ? ` · ${formatRange(low, high)}` : '';
  const word = is === 'real' ? `real, ${isBetter === false ? 'worse' : 'better'}` : (is ?? 'not tested yet');
  return (
    <span
      className={classes(styles.delta, isReal && (isBetter === false ? styles.worse : styles.better))}
      title={`${word}${interval}`}
    >
      <span className={styles.arrow} aria-hidden="true">
        {arrow}
      </span>
      {formatDifference(difference)}
      <span className={styles.mark} aria-hidden="true">
        {is === undefined ? '' : MARKS[is]}
      </span>
      <span className="visually-hidden">{word}</span>
    </span>
  );
}

/** Money; unknown is not nothing. */
export function Money({ usd }: { readonly usd: number | null | undefined }) {
  if (usd === null || usd === undefined) return <Unknown what="cost unknown" />;
  return <span className={styles.number}>{formatUsd(usd)}</span>;
}

export function Duration({ ms }: { readonly ms: number | undefined }) {
  if (ms === undefined) return <Unknown what="time unknown" />;
  return <span className={styles.number}>{formatDuration(ms)}</span>;
}

/** How long ago; the moment itself on hover. */
export function Ago({ time }: { readonly time: string }) {
  const nowMs = useNow();
  return (
    <time className={styles.number} dateTime={time} title={formatTime(time)}>
      {formatAgo(time, nowMs)}
    </time>
  );
}

export function Unknown({ what }: { readonly what: string }) {
  return (
    <span className={styles.unknown} title={what}>
      <span aria-hidden="true">–</span>
      <span className="visually-hidden">{what}</span>
    </span>
  );
}
