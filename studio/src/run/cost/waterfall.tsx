import { scaleLinear } from 'd3-scale';
import type { RunView } from '../../../../src/server/api.ts';
import { ChartFrame } from '../../ui/chart-frame.tsx';
import { classes } from '../../ui/classes.ts';
import { formatPercent, formatUsd } from '../../ui/format.ts';
import { useRoving } from '../../ui/use-roving.ts';
import { useSize } from '../../ui/use-size.ts';
import { type CostPart, costDomain, costParts, costSaid } from './cost-parts.ts';
import styles from './waterfall.module.css';

const ROW = 28;
const LABEL = 136;
const TEXT = 84;

/** What was spent, part by part, and what was saved, to the left. */
export function Waterfall({ view }: { readonly view: RunView }) {
  const [box, size] = useSize<HTMLDivElement>();
  const parts = costParts(view);
  const { box: svg, onKeyDown, markProps } = useRoving(parts.length);
  const width = Math.max(320, size?.width ?? 640);
  const height = parts.length * ROW + 8;
  const x = scaleLinear(costDomain(parts), [LABEL + TEXT, width - TEXT]);
  return (
    <ChartFrame
      title={costSaid(view.cost)}
      table={{
        heads: ['part', '$', 'of what was spent'],
        rows: parts.map(({ label, usd }) => [label, moneyText(usd), shareText(usd, view.cost.usd)]),
      }}
    >
      <div ref={box}>
        <svg
          ref={svg}
          width={width}
          height={height}
          viewBox={`0 0 ${width} ${height}`}
          role="group"
          aria-label="What the money went into"
          className={styles.chart}
          onKeyDown={onKeyDown}
        >
          <line className={styles.zero} x1={x(0)} x2={x(0)} y1={0} y2={height} />
          {parts.map((part, index) => (
            <Row key={part.key} part={part} y={index * ROW} x={x} focus={markProps(index)} />
          ))}
        </svg>
      </div>
    </ChartFrame>
  );
}

interface RowProps {
  readonly part: CostPart;
  readonly y: number;
  readonly x: (usd: number) => number;
  readonly focus: ReturnType<ReturnType<typeof useRoving>['markProps']>;
}

function Row({ part, y, x, focus }: RowProps) {
  const { key, label, about, usd, bar } = part;
  const middle = y + ROW / 2;
  const isLeft = key === 'saved' && bar !== undefined;
  const end = bar === undefined ? x(0) : isLeft ? x(bar[0]) : x(bar[1]);
  return (
    // biome-ignore lint/a11y/noInteractiveElementToNoninteractiveRole: it is focused to be read, there is nothing to press
    <g {...focus} role="img" aria-label={`${label}: ${moneyText(usd)}. ${about}`} className={styles[key]}>
      <title>{about}</title>
      <rect className={styles.ground} x={1} y={y + 1} width="99%" height={ROW - 2} />
      <text className={classes(styles.label, key === 'spent' && styles.strong)} x={8} y={middle + 4}>
        {label}
      </text>
      {bar !== undefined && (
        <rect
          className={styles.bar}
          x={x(bar[0])}
          y={middle - 8}
          width={Math.max(1.5, x(bar[1]) - x(bar[0]))}
          height={16}
          rx={2}
        />
      )}
      <text
        className={classes(styles.value, usd === null && styles.unknown)}
        x={isLeft ? end - 6 : end + 6}
        y={middle + 4}
        textAnchor={isLeft ? 'end' : 'start'}
      >
        {isLeft ? `−${moneyText(usd)}` : moneyText(usd)}
      </text>
    </g>
  );
}

function moneyText(usd: number | null): string {
  return usd === null ? 'unknown' : formatUsd(usd);
}

function shareText(usd: number | null, spent: number | null): string {
  return usd === null || spent === null || spent === 0 ? '' : formatPercent(usd / spent);
}
