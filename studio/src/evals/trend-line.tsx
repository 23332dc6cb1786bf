import { Link } from '@tanstack/react-router';
import type { KeyboardEvent } from 'react';
import { formatRange, formatScore, formatTime } from '../ui/format.ts';
import type { Series, SeriesPoint } from './trend.ts';
import styles from './trend-chart.module.css';

interface TrendLineProps {
  readonly series: Series;
  readonly colour: string;
  readonly x: (index: number) => number;
  readonly y: (value: number) => number;
  readonly isDense: boolean;
  readonly onShow: (point: SeriesPoint | undefined) => void;
}

/** One target. The Tab key comes to its newest run, the arrow keys go from there; a click opens the run. */
export function TrendLine({ series, colour, x, y, isDense, onShow }: TrendLineProps) {
  const { points, target } = series;
  const at = (point: SeriesPoint, value: number) => `${round(x(point.index))},${round(y(value))}`;
  const band = [
    ...points.map((point) => at(point, point.high)),
    ...points.toReversed().map((point) => at(point, point.low)),
  ];
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys of the marks come up to here
    <g style={{ color: colour }} onKeyDown={goToNext}>
      <polygon className={styles.band} points={band.join(' ')} />
      <polyline className={styles.line} points={points.map((point) => at(point, point.value)).join(' ')} />
      {points.map((point, index) => (
        <Link
          key={point.point.run}
          to="/runs/$run/{-$tab}"
          params={{ run: point.point.run }}
          tabIndex={index === points.length - 1 ? 0 : -1}
          aria-label={`${target}, ${formatTime(point.point.start)}: ${formatScore(point.value)}, ${formatRange(point.low, point.high)}`}
          onPointerEnter={() => onShow(point)}
          onPointerLeave={() => onShow(undefined)}
          onFocus={() => onShow(point)}
          onBlur={() => onShow(undefined)}
          className={styles.mark}
        >
          <circle className={styles.reach} cx={x(point.index)} cy={y(point.value)} r={9} />
          <circle className={styles.dot} cx={x(point.index)} cy={y(point.value)} r={isDense ? 2 : 3.5} />
        </Link>
      ))}
    </g>
  );
}

function goToNext(event: KeyboardEvent<SVGGElement>): void {
  const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
  if (step === 0) return;
  const marks = [...event.currentTarget.querySelectorAll('a')];
  const next = marks[marks.findIndex((mark) => mark.matches(':focus')) + step];
  if (next === undefined) return;
  event.preventDefault();
  next.focus();
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
