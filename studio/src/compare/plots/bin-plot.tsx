import { scaleLinear } from 'd3-scale';
import { ChartFrame } from '../../ui/chart-frame.tsx';
import { formatCount, formatScore } from '../../ui/format.ts';
import { letterOf } from '../../ui/run-letters.ts';
import { type Bin, binPairs } from './bins.ts';
import type { Pair } from './pairs.ts';
import styles from './plots.module.css';
import { onEnter } from './slope-plot.tsx';

const SIZE = 300;
const LEFT = 56;
const BOTTOM = 40;

interface BinPlotProps {
  readonly pairs: readonly Pair[];
  readonly other: number;
  readonly onFilter: (q: string) => void;
}

/** So many samples that lines would hide each other: how many are at each place of A against B. */
export function BinPlot({ pairs, other, onFilter }: BinPlotProps) {
  const binned = binPairs(pairs, other);
  const { size, domain, bins, most } = binned;
  const [a, b] = [letterOf(0), letterOf(other)];
  const side = SIZE / size;
  const shade = scaleLinear([0, Math.sqrt(most)], [0.12, 1]);
  const off = bins.filter(({ column, row }) => column !== row);
  const sum = (some: readonly Bin[]) => some.reduce((total, { count }) => total + count, 0);
  const [above, below] = [sum(off.filter(isAbove)), sum(off.filter((bin) => !isAbove(bin)))];
  const spanText = ([from, to]: readonly [number, number]) => `${formatScore(from)} to ${formatScore(to)}`;
  return (
    <ChartFrame
      title={`${formatCount(above)} samples are higher in ${b}, ${formatCount(below)} are lower`}
      note="Above the diagonal is better in the other run. A click filters the table."
      table={{
        heads: [a, b, 'samples'],
        rows: bins.map(({ before, after, count }) => [spanText(before), spanText(after), count]),
      }}
    >
      <svg
        viewBox={`0 0 ${LEFT + SIZE + 12} ${SIZE + BOTTOM}`}
        className={styles.plot}
        role="group"
        aria-label="Squares"
      >
        {bins.map((bin) => (
          <g
            key={bin.query}
            role="button"
            tabIndex={0}
            className={bin.column === bin.row ? styles.same : isAbove(bin) ? styles.better : styles.worse}
            onClick={() => onFilter(bin.query)}
            onKeyDown={onEnter(() => onFilter(bin.query))}
          >
            <title>{`${bin.count} samples: ${a} ${spanText(bin.before)}, ${b} ${spanText(bin.after)}`}</title>
            <rect
              className={styles.bin}
              x={LEFT + bin.column * side + 1}
              y={SIZE - (bin.row + 1) * side + 1}
              width={side - 2}
              height={side - 2}
              fillOpacity={shade(Math.sqrt(bin.count)) * 0.55}
            />
            <text
              className={styles.inBin}
              x={LEFT + (bin.column + 0.5) * side}
              y={SIZE - (bin.row + 0.5) * side + 4}
              textAnchor="middle"
            >
              {formatCount(bin.count)}
            </text>
          </g>
        ))}
        <line className={styles.diagonal} x1={LEFT} y1={SIZE} x2={LEFT + SIZE} y2={0} />
        <rect className={styles.frame} x={LEFT} y={0} width={SIZE} height={SIZE} />
        <Ends domain={domain} a={a} b={b} />
      </svg>
    </ChartFrame>
  );
}

function Ends(props: { readonly domain: readonly [number, number]; readonly a: string; readonly b: string }) {
  const [low, high] = props.domain;
  return (
    <g className={styles.label}>
      <text x={LEFT} y={SIZE + 16}>
        {formatScore(low)}
      </text>
      <text x={LEFT + SIZE} y={SIZE + 16} textAnchor="end">
        {formatScore(high)}
      </text>
      <text className={styles.strong} x={LEFT + SIZE / 2} y={SIZE + 18} textAnchor="middle">
        {props.a} →
      </text>
      <text x={LEFT - 6} y={SIZE} textAnchor="end">
        {formatScore(low)}
      </text>
      <text x={LEFT - 6} y={12} textAnchor="end">
        {formatScore(high)}
      </text>
      <text className={styles.strong} x={LEFT - 8} y={SIZE / 2} textAnchor="end">
        {props.b} ↑
      </text>
    </g>
  );
}

function isAbove({ column, row }: Bin): boolean {
  return row > column;
}
