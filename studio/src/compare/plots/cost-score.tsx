import { type ScaleContinuousNumeric, scaleLinear, scaleLog } from 'd3-scale';
import type { CompareView, RunItem } from '../../../../src/server/api.ts';
import { ChartFrame } from '../../ui/chart-frame.tsx';
import { classes } from '../../ui/classes.ts';
import { formatScore, formatUsd } from '../../ui/format.ts';
import { colourOf, letterOf } from '../../ui/run-letters.ts';
import { spreadLabels } from '../../ui/spread-labels.ts';
import { type CostPoint, frontierOf, isWide } from './frontier.ts';
import styles from './plots.module.css';

const WIDTH = 420;
const HEIGHT = 300;
const LEFT = 48;
const BOTTOM = 34;

/** What a sample costs in each run against what the run scores; no other run is both cheaper and better than one at the line. */
export function CostScore({ view }: { readonly view: CompareView }) {
  const items = [view.base, ...view.others.map(({ item }) => item)];
  const points = items.flatMap((item, run) => pointOf(item, run, view.score));
  if (points.length < 2) return null;
  const x = costScale(points);
  const lows = points.map(({ score, low }) => low ?? score);
  const highs = points.map(({ score, high }) => high ?? score);
  const y = scaleLinear([Math.min(...lows), Math.max(...highs)], [HEIGHT - BOTTOM - 8, 12]).nice(4);
  const frontier = frontierOf(points);
  const heights = spreadLabels(
    points.map(({ score }) => y(score)),
    14,
    [12, HEIGHT - BOTTOM],
  );
  return (
    <ChartFrame
      title={titleOf(frontier)}
      note="Whiskers are 95 % intervals. The stepped line joins runs that no cheaper run beats."
      table={{
        heads: ['run', 'target', '$ a sample', 'score', '95 % from', 'to'],
        rows: points.map(({ run, name, usd, score, low, high }) => [
          letterOf(run),
          name,
          formatUsd(usd),
          formatScore(score),
          low === undefined ? '' : formatScore(low),
          high === undefined ? '' : formatScore(high),
        ]),
      }}
    >
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} className={styles.plot} role="img">
        <title>Cost against score</title>
        <Axes x={x} y={y} />
        <path className={styles.frontier} d={stepPath(frontier, x, y)} />
        {points.map((point) => (
          <Mark key={point.run} point={point} x={x} y={y} />
        ))}
        {points.map(({ run, usd, name }, at) => (
          <text
            key={run}
            className={classes(styles.strong, styles.named)}
            x={x(usd) + (isRight(x(usd)) ? -10 : 10)}
            y={(heights[at] ?? 0) + 4}
            textAnchor={isRight(x(usd)) ? 'end' : 'start'}
          >
            {letterOf(run)} <tspan className={styles.label}>{name}</tspan>
          </text>
        ))}
      </svg>
    </ChartFrame>
  );
}

type Scale = ScaleContinuousNumeric<number, number>;

function Mark({ point, x, y }: { readonly point: CostPoint; readonly x: Scale; readonly y: Scale }) {
  const { run, usd, score, low, high } = point;
  return (
    <g style={{ color: colourOf(run) }}>
      {low !== undefined && high !== undefined && (
        <line className={styles.whisker} x1={x(usd)} x2={x(usd)} y1={y(low)} y2={y(high)} />
      )}
      <circle className={styles.point} cx={x(usd)} cy={y(score)} r={5} />
    </g>
  );
}

function Axes({ x, y }: { readonly x: Scale; readonly y: Scale }) {
  const bottom = HEIGHT - BOTTOM;
  return (
    <g className={styles.label}>
      {y.ticks(4).map((tick) => (
        <g key={tick}>
          <line className={styles.grid} x1={LEFT} x2={WIDTH - 8} y1={y(tick)} y2={y(tick)} />
          <text x={LEFT - 6} y={y(tick) + 4} textAnchor="end">
            {formatScore(tick)}
          </text>
        </g>
      ))}
      {x.ticks(4).map((tick) => (
        <text key={tick} x={x(tick)} y={bottom + 14} textAnchor="middle">
          {moneyTick(tick, x.ticks(4))}
        </text>
      ))}
      <text x={WIDTH - 8} y={HEIGHT - 4} textAnchor="end">
        cost of a sample →
      </text>
    </g>
  );
}

/** As many digits as tell one tick from the next. */
function moneyTick(tick: number, [first = 0, second = 1]: readonly number[]): string {
  const digits = Math.max(2, Math.ceil(-Math.log10(Math.abs(second - first))));
  return `$${tick.toFixed(Math.min(8, digits))}`;
}

function isRight(x: number): boolean {
  return x > WIDTH * 0.6;
}

function costScale(points: readonly CostPoint[]): Scale {
  const costs = points.map(({ usd }) => usd);
  const [least, most] = [Math.min(...costs), Math.max(...costs)];
  const range = [LEFT + 16, WIDTH - 24];
  if (isWide(points)) return scaleLog([least, most], range);
  const room = (most - least) * 0.1 || most * 0.1 || 1;
  return scaleLinear([Math.max(0, least - room), most + room], range);
}

function stepPath(points: readonly CostPoint[], x: Scale, y: Scale): string {
  return points
    .map(({ usd, score }, index) => (index === 0 ? `M${x(usd)},${y(score)}` : `H${x(usd)}V${y(score)}`))
    .join('');
}

function pointOf({ facts, name }: RunItem, run: number, score: string | undefined): readonly CostPoint[] {
  const found = facts?.scores.find((one) => one.name === score) ?? facts?.scores[0];
  if (!facts || found?.value === undefined || found.value === null || facts.usd === null) return [];
  const usd = facts.samples.total === 0 ? facts.usd : facts.usd / facts.samples.total;
  return [{ run, name: facts.target || name, usd, score: found.value, low: found.low, high: found.high }];
}

function titleOf(frontier: readonly CostPoint[]): string {
  const [cheapest] = frontier;
  const best = frontier.at(-1);
  if (cheapest === undefined || best === undefined) return 'Cost against score';
  if (cheapest === best) return `${letterOf(best.run)} is the cheapest and scores best`;
  return `${letterOf(best.run)} scores best; ${letterOf(cheapest.run)} is the cheapest at ${formatUsd(cheapest.usd)} a sample`;
}
