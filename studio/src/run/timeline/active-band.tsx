import { scaleLinear } from 'd3-scale';
import type { RunTimeline } from '../../../../src/server/api.ts';
import { formatCount } from '../../ui/format.ts';
import type { TimeScale } from './time-scale.ts';
import styles from './timeline-chart.module.css';
import { activeColumns, activePath, mostActive } from './timeline-marks.ts';

const TOP = 12;
const HEIGHT = 84;
export const ACTIVE_BOTTOM = TOP + HEIGHT;

interface ActiveBandProps {
  readonly active: RunTimeline['active'];
  readonly scale: TimeScale;
}

/** How many samples were under way. */
export function ActiveBand({ active, scale }: ActiveBandProps) {
  const most = mostActive(active);
  const y = scaleLinear([0, Math.max(1, most)], [ACTIVE_BOTTOM, TOP]);
  return (
    <g>
      <title>{`Up to ${formatCount(most)} samples were under way at a time`}</title>
      <text className={styles.name} x={0} y={TOP + 10}>
        under way
      </text>
      <text className={styles.count} x={scale.left - 10} y={TOP + 10} textAnchor="end">
        {formatCount(most)}
      </text>
      <text className={styles.count} x={scale.left - 10} y={ACTIVE_BOTTOM} textAnchor="end">
        0
      </text>
      <line className={styles.guide} x1={scale.left} x2={scale.right} y1={TOP} y2={TOP} />
      <path className={styles.active} d={activePath(activeColumns(active, scale.x), y)} />
      <line className={styles.base} x1={scale.left} x2={scale.right} y1={ACTIVE_BOTTOM} y2={ACTIVE_BOTTOM} />
    </g>
  );
}
