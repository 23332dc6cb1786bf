import { formatDuration } from '../../ui/format.ts';
import type { Gap, TimeScale } from './time-scale.ts';
import styles from './timeline-chart.module.css';

interface SeamsProps {
  readonly scale: TimeScale;
  readonly gaps: readonly Gap[];
  readonly bottom: number;
}

/** Where one session ended and the next went on. */
export function Seams({ scale, gaps, bottom }: SeamsProps) {
  return gaps.map((gap) => {
    const isCut = scale.cuts.includes(gap);
    const x = scale.x(gap.from);
    const width = Math.max(2, scale.x(gap.to) - x);
    const said = `${formatDuration(gap.to - gap.from)} between sessions${isCut ? ', left out' : ''}`;
    return (
      <g key={gap.from}>
        <title>{said}</title>
        <rect className={styles.seam} x={x} y={12} width={width} height={bottom - 12} />
        {isCut && (
          <text className={styles.seamText} x={x + width / 2} y={9} textAnchor="middle">
            {`⋯ ${formatDuration(gap.to - gap.from)} ⋯`}
          </text>
        )}
      </g>
    );
  });
}
