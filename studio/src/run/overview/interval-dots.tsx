import { scaleLinear } from 'd3-scale';
import { useRef } from 'react';
import type { RunView } from '../../../../src/server/api.ts';
import { Score } from '../../ui/figures.tsx';
import { formatScore } from '../../ui/format.ts';
import { useWidth } from '../../ui/use-width.ts';
import styles from './interval-dots.module.css';
import { scoreAxis } from './score-axis.ts';

const HEIGHT = 20;

/** One row a metric: its value as a dot, its interval as a line. Metrics between 0 and 1 share one axis. */
export function IntervalDots({ scores }: { readonly scores: RunView['scores'] }) {
  if (scores.length === 0) return <p className={styles.none}>Nothing has been scored.</p>;
  return (
    <ul className={styles.rows}>
      {scores.map((score) => (
        <li
          key={`${score.scorer} ${score.name} ${score.metric} ${score.reducer ?? ''}`}
          className={styles.row}
        >
          <span className={styles.name} title={`${score.scorer} ${score.metric}`}>
            {score.name === score.metric ? score.name : `${score.name} ${score.metric}`}
            {score.reducer !== undefined && <span className={styles.reducer}> {score.reducer}</span>}
          </span>
          <span className={styles.value}>
            <Score value={score.value} low={score.low} high={score.high} isAligned />
          </span>
          <Dot score={score} all={scores} />
          <span className={styles.scored}>
            {score.unscored !== undefined && score.unscored > 0 && `${score.unscored} not scored`}
          </span>
        </li>
      ))}
    </ul>
  );
}

interface DotProps {
  readonly score: RunView['scores'][number];
  readonly all: RunView['scores'];
}

function Dot({ score, all }: DotProps) {
  const box = useRef<HTMLSpanElement>(null);
  const width = useWidth(box);
  const { value, low, high } = score;
  const domain = scoreAxis(score, all);
  const x = scaleLinear(domain, [5, Math.max(10, width - 5)]).clamp(true);
  return (
    <span ref={box} className={styles.box}>
      {width > 0 && value !== null && Number.isFinite(value) && (
        <svg
          width={width}
          height={HEIGHT}
          role="img"
          aria-label={`on an axis from ${formatScore(domain[0])} to ${formatScore(domain[1])}`}
        >
          <line className={styles.axis} x1={5} x2={width - 5} y1={HEIGHT / 2} y2={HEIGHT / 2} />
          {x.ticks(4).map((tick) => (
            <line
              key={tick}
              className={styles.axis}
              x1={x(tick)}
              x2={x(tick)}
              y1={HEIGHT / 2 - 3}
              y2={HEIGHT / 2 + 3}
            />
          ))}
          {low !== undefined && high !== undefined && (
            <line className={styles.interval} x1={x(low)} x2={x(high)} y1={HEIGHT / 2} y2={HEIGHT / 2} />
          )}
          <circle className={styles.dot} cx={x(value)} cy={HEIGHT / 2} r={3} />
        </svg>
      )}
    </span>
  );
}
