import { scaleLinear } from 'd3-scale';
import { useState } from 'react';
import type { SharedRunView } from '../../../src/server/api.ts';
import { TimeAxis } from '../run/timeline/time-axis.tsx';
import { timeScale } from '../run/timeline/time-scale.ts';
import { ChartFrame } from '../ui/chart-frame.tsx';
import { ChartTip } from '../ui/chart-tip.tsx';
import { formatCount, formatTime, formatUsd } from '../ui/format.ts';
import { useSize } from '../ui/use-size.ts';
import { endedIn, type RateColumn, rateColumns, ratesSaid, ratesTable, stepText } from './rate-columns.ts';
import styles from './rates-chart.module.css';
import { isGoingOn } from './shared-words.ts';

const LEFT = 96;
const RIGHT = 12;
const TOP = 12;
const RATE_HEIGHT = 84;
const RATE_BOTTOM = TOP + RATE_HEIGHT;
const COST_HEIGHT = 44;
const COST_BOTTOM = RATE_BOTTOM + 16 + COST_HEIGHT;
const HEIGHT = COST_BOTTOM + 22;

/** What ended in each interval, and below it what was spent until then, on one axis of time. */
export function RatesChart({ view }: { readonly view: SharedRunView }) {
  const { rates, row } = view;
  const [box, size] = useSize<HTMLDivElement>();
  const [shown, setShown] = useState<RateColumn>();
  const width = Math.max(360, size?.width ?? 960);
  const columns = rateColumns(rates);
  const lengthMs = columns.length * rates.stepMs;
  const scale = timeScale({ lengthMs, cuts: [], left: LEFT, right: width - RIGHT });
  const most = Math.max(1, ...columns.map(endedIn));
  return (
    <ChartFrame
      title={ratesSaid(rates, isGoingOn(row))}
      note={`What ended in each ${stepText(rates.stepMs)}, and what was spent until then, by the clocks of those who ended it.`}
      table={ratesTable(rates, (ms) => formatTime(new Date(ms).toISOString()))}
      foldedAs="shared-rates"
    >
      <div ref={box} className={styles.box}>
        <svg
          width={width}
          height={HEIGHT}
          viewBox={`0 0 ${width} ${HEIGHT}`}
          role="img"
          aria-label="What ended when, and what it cost"
        >
          <TimeAxis scale={scale} startMs={rates.startMs} lengthMs={lengthMs} bottom={COST_BOTTOM} />
          <Names most={most} usd={columns.at(-1)?.usd ?? 0} />
          {columns.map((column) => (
            <Column key={column.from} column={column} x={scale.x} most={most} onShow={setShown} />
          ))}
          <Cost columns={columns} x={scale.x} />
          {[RATE_BOTTOM, COST_BOTTOM].map((y) => (
            <line key={y} className={styles.base} x1={LEFT} x2={width - RIGHT} y1={y} y2={y} />
          ))}
        </svg>
        {shown !== undefined && (
          <ChartTip x={scale.x((shown.from + shown.to) / 2)} y={TOP} width={width}>
            {saidOf(shown, rates.startMs)}
          </ChartTip>
        )}
      </div>
    </ChartFrame>
  );
}

function Names({ most, usd }: { readonly most: number; readonly usd: number }) {
  const right = { x: LEFT - 10, textAnchor: 'end' } as const;
  return (
    <g>
      <text className={styles.name} x={0} y={TOP + 10}>
        ended
      </text>
      <text className={styles.count} y={TOP + 10} {...right}>
        {formatCount(most)}
      </text>
      <text className={styles.name} x={0} y={COST_BOTTOM - COST_HEIGHT + 10}>
        spent
      </text>
      <text className={styles.count} y={COST_BOTTOM - COST_HEIGHT + 10} {...right}>
        {formatUsd(usd)}
      </text>
    </g>
  );
}

interface ColumnProps {
  readonly column: RateColumn;
  readonly x: (ms: number) => number;
  readonly most: number;
  readonly onShow: (column: RateColumn | undefined) => void;
}

function Column({ column, x, most, onShow }: ColumnProps) {
  const left = x(column.from);
  const width = Math.max(1, x(column.to) - left - 1);
  const y = scaleLinear([0, most], [0, RATE_HEIGHT]);
  let bottom = RATE_BOTTOM;
  const parts = (['completed', 'failed', 'lost'] as const).map((part) => {
    const height = y(column[part]);
    bottom -= height;
    return { part, top: bottom, height };
  });
  return (
    <g onPointerEnter={() => onShow(column)} onPointerLeave={() => onShow(undefined)}>
      <rect className={styles.ground} x={left} y={TOP} width={width} height={COST_BOTTOM - TOP} />
      {parts.map(({ part, top, height }) =>
        height === 0 ? null : (
          <rect key={part} className={styles[part]} x={left} y={top} width={width} height={height} />
        ),
      )}
    </g>
  );
}

function Cost({
  columns,
  x,
}: {
  readonly columns: readonly RateColumn[];
  readonly x: (ms: number) => number;
}) {
  const last = columns.at(-1);
  if (last === undefined || last.usd === 0) return null;
  const y = scaleLinear([0, last.usd], [COST_BOTTOM, COST_BOTTOM - COST_HEIGHT]);
  const points = columns.map(({ to, usd }) => `L${x(to).toFixed(1)} ${y(usd).toFixed(1)}`).join('');
  return (
    <path
      className={styles.cost}
      d={`M${LEFT} ${COST_BOTTOM}${points}L${x(last.to).toFixed(1)} ${COST_BOTTOM}Z`}
    />
  );
}

function saidOf({ from, completed, failed, lost, builds, usd }: RateColumn, startMs: number): string {
  const parts = [
    [completed, 'completed'],
    [failed, 'failed'],
    [lost, 'lost'],
    [builds, 'built'],
  ] as const;
  const counts = parts.flatMap(([count, word]) => (count === 0 ? [] : `${formatCount(count)} ${word}`));
  const when = formatTime(new Date(startMs + from).toISOString()).slice(11);
  return `${when}: ${counts.join(', ') || 'nothing ended'}; ${formatUsd(usd)} so far`;
}
