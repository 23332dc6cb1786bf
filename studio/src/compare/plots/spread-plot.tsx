import { scaleLinear, scaleSymlog } from 'd3-scale';
import { useState } from 'react';
import type { ComparedSample } from '../../../../src/server/api.ts';
import { ChartFrame } from '../../ui/chart-frame.tsx';
import { Choice } from '../../ui/field.tsx';
import { formatDuration, formatUsd } from '../../ui/format.ts';
import { colourOf, letterOf } from '../../ui/run-letters.ts';
import { type Ecdf, ecdfsOf, MEASURES, type Measure, quantile, roundTicks, spreadTitle } from './ecdf.ts';
import styles from './plots.module.css';

const WIDTH = 420;
const HEIGHT = 300;
const LEFT = 48;
const BOTTOM = 34;

interface SpreadPlotProps {
  readonly samples: readonly ComparedSample[];
  readonly runs: number;
}

/** What samples take: for every value the share of them that takes no more. Lines can lie over each other, bars could not. */
export function SpreadPlot({ samples, runs }: SpreadPlotProps) {
  const [measure, setMeasure] = useState<Measure>('time');
  const lines = ecdfsOf(samples, runs, measure);
  const text = textOf(measure);
  return (
    <ChartFrame
      title={spreadTitle(lines, MEASURES[measure].label, text)}
      note={`Share of samples that take no more. ${MEASURES[measure].label}: further left is better.`}
      tools={
        <Choice
          label="Measure"
          isLabelHidden
          value={measure}
          options={(Object.keys(MEASURES) as Measure[]).map((value) => ({
            value,
            label: MEASURES[value].label,
          }))}
          onChange={setMeasure}
        />
      }
      table={{
        heads: ['run', 'samples', '10 %', '25 %', 'median', '75 %', '90 %', 'most'],
        rows: lines.map((line) => [
          letterOf(line.run),
          line.count,
          ...[0.1, 0.25, 0.5, 0.75, 0.9, 1].map((share) => text(quantile(line, share))),
        ]),
      }}
    >
      {lines.length === 0 ? (
        <p className={styles.none}>No run says how much of it its samples took.</p>
      ) : (
        <Lines lines={lines} measure={measure} text={text} />
      )}
    </ChartFrame>
  );
}

function Lines(props: {
  readonly lines: readonly Ecdf[];
  readonly measure: Measure;
  readonly text: (value: number) => string;
}) {
  const { lines, measure, text } = props;
  const most = Math.max(...lines.map((line) => quantile(line, 1)));
  const typical = Math.min(...lines.map(({ median }) => median)) || 1;
  const x = scaleSymlog([0, most], [LEFT, WIDTH - 12]).constant(typical / 4);
  const y = scaleLinear([0, 1], [HEIGHT - BOTTOM, 10]);
  const ticks = apart(roundTicks(most, measure), x);
  return (
    <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} className={styles.plot} role="img">
      <title>Spread over samples</title>
      <g className={styles.label}>
        {[0, 0.25, 0.5, 0.75, 1].map((share) => (
          <g key={share}>
            <line className={styles.grid} x1={LEFT} x2={WIDTH - 12} y1={y(share)} y2={y(share)} />
            <text x={LEFT - 6} y={y(share) + 4} textAnchor="end">
              {share * 100} %
            </text>
          </g>
        ))}
        {ticks.map((tick) => (
          <text key={tick} x={x(tick)} y={HEIGHT - BOTTOM + 14} textAnchor="middle">
            {text(tick)}
          </text>
        ))}
        <text x={WIDTH - 12} y={HEIGHT - 4} textAnchor="end">
          {MEASURES[measure].label.toLowerCase()} of a sample (linear near 0, then logarithmic) →
        </text>
      </g>
      {lines.map(({ run, steps }) => (
        <path
          key={run}
          className={styles.line}
          style={{ color: colourOf(run) }}
          d={`M${x(0)},${y(0)}${steps.map(([value, share]) => `H${round(x(value))}V${round(y(share))}`).join('')}`}
        />
      ))}
      {lines.map((line, at) => {
        const share = 0.45 + at * 0.08;
        return (
          <g key={line.run} style={{ color: colourOf(line.run) }}>
            <circle className={styles.ground} cx={x(quantile(line, share))} cy={y(share)} r={8} />
            <text className={styles.letter} x={x(quantile(line, share))} y={y(share) + 4} textAnchor="middle">
              {letterOf(line.run)}
            </text>
          </g>
        );
      })}
    </svg>
  );
}

/** Ticks that would be printed over each other are left out. */
function apart(ticks: readonly number[], x: (value: number) => number): readonly number[] {
  const kept: number[] = [];
  for (const tick of ticks) {
    const last = kept.at(-1);
    if (last === undefined || x(tick) - x(last) > TICK_ROOM) kept.push(tick);
  }
  return kept;
}

const TICK_ROOM = 44;

function textOf(measure: Measure): (value: number) => string {
  if (measure === 'time') return formatDuration;
  return measure === 'cost' ? formatUsd : (value) => String(Math.round(value));
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
