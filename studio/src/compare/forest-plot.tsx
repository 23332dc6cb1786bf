import { scaleLinear } from 'd3-scale';
import type { ComparedRun } from '../../../src/server/api.ts';
import { ChartFrame } from '../ui/chart-frame.tsx';
import { classes } from '../ui/classes.ts';
import { formatP } from '../ui/format.ts';
import { letterOf } from '../ui/run-letters.ts';
import { useSize } from '../ui/use-size.ts';
import styles from './forest-plot.module.css';
import { type ForestRow, figureText, figureValue, forestRows, forestTitle } from './forest-rows.ts';

const ROW = 22;
const HEAD = 18;
const LABEL = 128;
const TEXT = 236;
const DOT = 4.5;

interface ForestPlotProps {
  readonly other: ComparedRun;
  readonly index: number;
}

/** Every figure of the two runs: the change as a dot, its 95 % interval as a line; to the right is better. */
export function ForestPlot({ other, index }: ForestPlotProps) {
  const [box, size] = useSize<HTMLDivElement>();
  const rows = forestRows(other.figures);
  const width = size?.width ?? 560;
  const x = scaleLinear([-1, 1], [LABEL + 12, width - TEXT - 12]);
  const height = HEAD + rows.length * ROW + 4;
  return (
    <ChartFrame
      title={forestTitle(other.figures, index)}
      table={tableOf(other, index)}
      foldedAs="compare.figures"
    >
      <div ref={box}>
        <svg
          width={width}
          height={height}
          viewBox={`0 0 ${width} ${height}`}
          role="img"
          className={styles.plot}
        >
          <title>{`Changes of ${letterOf(index)} against ${letterOf(0)}`}</title>
          <text className={styles.axis} x={x(-1)} y={11}>
            ◂ worse
          </text>
          <text className={styles.axis} x={x(1)} y={11} textAnchor="end">
            better ▸
          </text>
          <line className={styles.zero} x1={x(0)} x2={x(0)} y1={HEAD - 6} y2={height} />
          {rows.map((row, at) => (
            <Row key={row.figure.figure} row={row} y={HEAD + at * ROW} x={x} width={width} />
          ))}
        </svg>
      </div>
    </ChartFrame>
  );
}

interface RowProps {
  readonly row: ForestRow;
  readonly y: number;
  readonly x: (at: number) => number;
  readonly width: number;
}

function Row({ row, y, x, width }: RowProps) {
  const { figure, at, from, to } = row;
  const middle = y + ROW / 2;
  const look = figure.verdict === 'cannot tell' ? 'unknown' : figure.verdict;
  return (
    <g className={styles[look]}>
      <title>
        {`${figure.figure} (${figure.betterWhen} is better): ${row.difference} ${row.interval}, ${figure.verdict}, ${formatP(figure.p)}, ${figure.test}`}
      </title>
      <rect className={styles.ground} x={0} y={y} width={width} height={ROW} />
      <text className={styles.name} x={0} y={middle + 4}>
        {shortName(figure.figure)}
      </text>
      {from !== undefined && to !== undefined && (
        <line className={styles.interval} x1={x(from)} x2={x(to)} y1={middle} y2={middle} />
      )}
      {Number.isFinite(at) && <circle className={styles.dot} cx={x(at)} cy={middle} r={DOT} />}
      <text className={styles.value} x={width - TEXT} y={middle + 4}>
        {row.difference} {figure.verdict}
      </text>
      <text className={classes(styles.meta, styles.numbers)} x={width} y={middle + 4} textAnchor="end">
        {row.interval}
      </text>
    </g>
  );
}

/** The whole name is in the title of the row, and in the table. */
function shortName(name: string): string {
  return name.length > NAME_MAX ? `${name.slice(0, NAME_MAX / 2 - 1)}…${name.slice(-NAME_MAX / 2)}` : name;
}

const NAME_MAX = 18;

function tableOf(other: ComparedRun, index: number) {
  return {
    heads: [
      'figure',
      letterOf(0),
      letterOf(index),
      'change',
      '95 % from',
      'to',
      'verdict',
      'p',
      'test',
      'better',
    ],
    rows: other.figures.map((figure) => [
      figure.figure,
      figureValue(figure, figure.before),
      figureValue(figure, figure.after),
      figureText(figure, figure.difference),
      figure.low === undefined ? '' : figureText(figure, figure.low),
      figure.high === undefined ? '' : figureText(figure, figure.high),
      figure.verdict,
      formatP(figure.p),
      figure.test,
      figure.betterWhen,
    ]),
  };
}
