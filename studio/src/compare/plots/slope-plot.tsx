import { scaleLinear, scaleSqrt } from 'd3-scale';
import type { KeyboardEvent } from 'react';
import { ChartFrame } from '../../ui/chart-frame.tsx';
import { counted } from '../../ui/counted.ts';
import { formatCount, formatScore } from '../../ui/format.ts';
import { letterOf } from '../../ui/run-letters.ts';
import { domainOf, type Pair, type Slope, slopesOf } from './pairs.ts';
import styles from './plots.module.css';

const WIDTH = 420;
const HEIGHT = 300;
const SIDE = 64;
const TOP = 26;
/** More than these and every one of them would be a stop of the Tab key; the table has them all. */
const FOCUSED_MAX = 24;

interface SlopePlotProps {
  readonly pairs: readonly Pair[];
  readonly other: number;
  readonly onFilter: (q: string) => void;
}

/** A at the left, B at the right: one line for samples that go the same way, as wide as they are many. */
export function SlopePlot({ pairs, other, onFilter }: SlopePlotProps) {
  const slopes = slopesOf(pairs, other);
  const domain = domainOf(pairs);
  const y = scaleLinear(domain, [HEIGHT - 20, TOP]);
  const width = scaleSqrt([1, Math.max(2, ...slopes.map(({ count }) => count))], [1.25, 14]);
  const [a, b] = [letterOf(0), letterOf(other)];
  return (
    <ChartFrame
      title={titleOf(pairs, other)}
      note="A line is as wide as its samples are many; grey ones did not change. A click filters the table."
      table={{
        heads: [a, b, 'samples'],
        rows: slopes.map(({ before, after, count }) => [formatScore(before), formatScore(after), count]),
      }}
    >
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} className={styles.plot} role="group" aria-label="Slopes">
        <text className={styles.strong} x={SIDE} y={14} textAnchor="middle">
          {a}
        </text>
        <text className={styles.strong} x={WIDTH - SIDE} y={14} textAnchor="middle">
          {b}
        </text>
        {domain.map((value) => (
          <g key={value} className={styles.label}>
            <text x={SIDE - 12} y={y(value) + 4} textAnchor="end">
              {formatScore(value)}
            </text>
            <text x={WIDTH - SIDE + 12} y={y(value) + 4}>
              {formatScore(value)}
            </text>
          </g>
        ))}
        <line className={styles.axis} x1={SIDE} x2={SIDE} y1={TOP} y2={HEIGHT - 20} />
        <line className={styles.axis} x1={WIDTH - SIDE} x2={WIDTH - SIDE} y1={TOP} y2={HEIGHT - 20} />
        {slopes.map((slope) => (
          <SlopeLine
            key={slope.query}
            slope={slope}
            ends={[y(slope.before), y(slope.after)]}
            width={width(slope.count)}
            isFocused={slopes.length <= FOCUSED_MAX}
            onPress={() => onFilter(slope.query)}
          />
        ))}
      </svg>
    </ChartFrame>
  );
}

interface SlopeLineProps {
  readonly slope: Slope;
  readonly ends: readonly [number, number];
  readonly width: number;
  readonly isFocused: boolean;
  readonly onPress: () => void;
}

function SlopeLine({ slope, ends, width, isFocused, onPress }: SlopeLineProps) {
  const { before, after, count } = slope;
  const look = after > before ? 'better' : after < before ? 'worse' : 'same';
  const mark = after > before ? '▲' : after < before ? '▼' : '=';
  const place = after > before ? 0.66 : after < before ? 0.34 : 0.5;
  const said = `${counted(count, 'sample')} from ${formatScore(before)} to ${formatScore(after)}`;
  return (
    <g
      className={styles[look]}
      role="button"
      tabIndex={isFocused ? 0 : -1}
      onClick={onPress}
      onKeyDown={onEnter(onPress)}
    >
      <title>{said}</title>
      <line className={styles.wide} x1={SIDE} x2={WIDTH - SIDE} y1={ends[0]} y2={ends[1]} strokeWidth={12} />
      <line
        className={styles.slope}
        x1={SIDE}
        x2={WIDTH - SIDE}
        y1={ends[0]}
        y2={ends[1]}
        strokeWidth={width}
      />
      {isFocused && (
        <text
          className={styles.count}
          x={SIDE + (WIDTH - 2 * SIDE) * place}
          y={ends[0] + (ends[1] - ends[0]) * place - width / 2 - (ends[0] === ends[1] ? 4 : 14)}
          textAnchor="middle"
        >
          {mark} {formatCount(count)}
        </text>
      )}
    </g>
  );
}

function titleOf(pairs: readonly Pair[], other: number): string {
  const [a, b] = [letterOf(0), letterOf(other)];
  const up = pairs.filter(({ before, after }) => after > before).length;
  const down = pairs.filter(({ before, after }) => after < before).length;
  return `From ${a} to ${b}, ${formatCount(up)} go up and ${formatCount(down)} down of ${counted(pairs.length, 'sample')}`;
}

export function onEnter(press: () => void) {
  return (event: KeyboardEvent) => {
    if (event.key !== 'Enter' && event.key !== ' ') return;
    event.preventDefault();
    press();
  };
}
