import { scaleLinear } from 'd3-scale';
import { useState } from 'react';
import type { HistoryPoint } from '../../../src/server/api.ts';
import { ChartFrame } from '../ui/chart-frame.tsx';
import { ChartTip } from '../ui/chart-tip.tsx';
import { formatRange, formatScore, formatTime, formatUsd } from '../ui/format.ts';
import { colourOf } from '../ui/run-letters.ts';
import { shortCommit, shortDate } from '../ui/run-words.ts';
import { spreadLabels } from '../ui/spread-labels.ts';
import { useSize } from '../ui/use-size.ts';
import { commitTicks, domainOf, type Series, type SeriesPoint, seriesOf, trendTitle } from './trend.ts';
import styles from './trend-chart.module.css';
import { TrendLine } from './trend-line.tsx';

const HEIGHT = 300;
const LEFT = 48;
const BOTTOM = 44;
const TOP = 12;
const LABEL_GAP = 15;

/** The score of every run, a line for each target, with what is 95 % certain as a band and commits on the axis. */
export function TrendChart({
  points,
  metric,
}: {
  readonly points: readonly HistoryPoint[];
  readonly metric: string;
}) {
  const [box, size] = useSize<HTMLDivElement>();
  const [shown, setShown] = useState<SeriesPoint>();
  const series = seriesOf(points);
  const width = size?.width ?? 900;
  const right = labelRoom(series, width);
  const x = scaleLinear([0, Math.max(1, points.length - 1)], [LEFT + 8, width - right]);
  const y = scaleLinear(domainOf(series), [HEIGHT - BOTTOM, TOP]).nice(4);
  return (
    <ChartFrame title={trendTitle(series)} note={`${metric}, oldest run at the left`} table={tableOf(points)}>
      <div ref={box}>
        <svg
          width={width}
          height={HEIGHT}
          viewBox={`0 0 ${width} ${HEIGHT}`}
          className={styles.chart}
          role="group"
          aria-label="Runs"
        >
          <Axes points={points} x={x} y={y} right={width - right} />
          {series.map((one, index) => (
            <TrendLine
              key={one.target}
              series={one}
              colour={colourOf(index)}
              x={x}
              y={y}
              isDense={points.length > 120}
              onShow={setShown}
            />
          ))}
          <Labels series={series} x={width - right + 10} y={y} />
        </svg>
        {shown !== undefined && (
          <ChartTip x={x(shown.index)} y={y(shown.value) - 10} width={width}>
            <strong>{shown.point.target}</strong> {formatScore(shown.value)}{' '}
            {formatRange(shown.low, shown.high)}
            <br />
            {formatTime(shown.point.start)}
            {shown.point.commit !== undefined && ` · ${shortCommit(shown.point.commit)}`}
            {shown.point.usdPerSample !== null && ` · ${formatUsd(shown.point.usdPerSample)} a sample`}
          </ChartTip>
        )}
      </div>
    </ChartFrame>
  );
}

/** For the names of the lines, as far as they do not take the chart's own room. */
function labelRoom(series: readonly Series[], width: number): number {
  const longest = Math.max(0, ...series.map(({ target }) => target.length));
  return Math.min(width * 0.36, 72 + longest * 6.6);
}

interface AxesProps {
  readonly points: readonly HistoryPoint[];
  readonly x: (index: number) => number;
  readonly y: ReturnType<typeof scaleLinear<number, number>>;
  readonly right: number;
}

function Axes({ points, x, y, right }: AxesProps) {
  const step = Math.abs(x(1) - x(0)) || 1;
  return (
    <g className={styles.axes}>
      {y.ticks(4).map((tick) => (
        <g key={tick}>
          <line x1={LEFT} x2={right} y1={y(tick)} y2={y(tick)} />
          <text x={LEFT - 8} y={y(tick) + 4} textAnchor="end">
            {formatScore(tick)}
          </text>
        </g>
      ))}
      {commitTicks(points, Math.ceil(64 / step)).map(({ index, commit, start }) => (
        <g key={index}>
          <line x1={x(index)} x2={x(index)} y1={HEIGHT - BOTTOM} y2={HEIGHT - BOTTOM + 5} />
          <text className={styles.commit} x={x(index)} y={HEIGHT - BOTTOM + 18} textAnchor="middle">
            {shortCommit(commit)}
          </text>
          <text x={x(index)} y={HEIGHT - BOTTOM + 32} textAnchor="middle">
            {shortDate(start)}
          </text>
        </g>
      ))}
    </g>
  );
}

interface LabelsProps {
  readonly series: readonly Series[];
  readonly x: number;
  readonly y: (value: number) => number;
}

/** The name of each line at its end, moved apart where they would lie over each other. */
function Labels({ series, x, y }: LabelsProps) {
  const heights = spreadLabels(
    series.map(({ points }) => y(points.at(-1)?.value ?? 0)),
    LABEL_GAP,
    [TOP + 4, HEIGHT - BOTTOM],
  );
  return series.map(({ target, points }, index) => (
    <g key={target} style={{ color: colourOf(index) }} className={styles.label}>
      <circle cx={x} cy={(heights[index] ?? 0) - 1} r={4} />
      <text x={x + 9} y={(heights[index] ?? 0) + 3}>
        {formatScore(points.at(-1)?.value)} <tspan>{target}</tspan>
      </text>
    </g>
  ));
}

function tableOf(points: readonly HistoryPoint[]) {
  return {
    heads: ['run', 'start', 'target', 'score', '95 % from', 'to', 'commit', 'status', '$ a sample'],
    rows: points.map(({ run, start, target, score, commit, status, usdPerSample }) => [
      run,
      formatTime(start),
      target,
      formatScore(score?.value),
      score?.low === undefined ? '' : formatScore(score.low),
      score?.high === undefined ? '' : formatScore(score.high),
      commit === undefined ? '' : shortCommit(commit),
      status,
      formatUsd(usdPerSample),
    ]),
  };
}
