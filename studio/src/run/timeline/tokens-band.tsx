import { scaleLinear } from 'd3-scale';
import { formatShortCount } from '../../ui/format.ts';
import type { TimeScale } from './time-scale.ts';
import styles from './timeline-chart.module.css';
import { activePath } from './timeline-marks.ts';
import { type TokenRate, tokenColumns } from './token-columns.ts';

const HEIGHT = 44;
/** What it takes of the chart, with the room above it. */
export const TOKENS_HEIGHT = HEIGHT + 16;

interface TokensBandProps {
  readonly tokens: TokenRate;
  readonly scale: TimeScale;
  /** Where the band above it ends. */
  readonly top: number;
}

/** How many tokens a second were used. */
export function TokensBand({ tokens, scale, top }: TokensBandProps) {
  const bottom = top + TOKENS_HEIGHT;
  const most = Math.max(1, ...tokens.perSecond);
  const y = scaleLinear([0, most], [bottom, bottom - HEIGHT]);
  return (
    <g>
      <title>{`Up to ${formatShortCount(most)} tokens a second; the tokens of a sample are spread over its time`}</title>
      <text className={styles.name} x={0} y={bottom - HEIGHT + 10}>
        tokens/s
      </text>
      <text className={styles.count} x={scale.left - 10} y={bottom - HEIGHT + 10} textAnchor="end">
        {formatShortCount(most)}
      </text>
      <path className={styles.tokens} d={activePath(tokenColumns(tokens, scale.x), y)} />
      <line className={styles.base} x1={scale.left} x2={scale.right} y1={bottom} y2={bottom} />
    </g>
  );
}
