import { useNavigate } from '@tanstack/react-router';
import { scaleLinear } from 'd3-scale';
import { type KeyboardEvent, type PointerEvent, useMemo, useRef, useState } from 'react';
import type { RunTimeline } from '../../../../src/server/api.ts';
import { ChartTip } from '../../ui/chart-tip.tsx';
import { classes } from '../../ui/classes.ts';
import { formatDuration } from '../../ui/format.ts';
import { outcomeShown } from '../../ui/outcomes.ts';
import { useWidth } from '../../ui/use-width.ts';
import type { RunSearch } from '../use-run-search.ts';
import styles from './timeline.module.css';
import { activeAt, dotRadius, type Ending, endingRows, nearestEnding, stepPath } from './timeline-layout.ts';
import { TimelineMarks } from './timeline-marks.tsx';

const LEFT = 112;
const RIGHT = 12;
const ACTIVE = 96;
const ROW = 18;
const MARKS = 3 * ROW;
const AXIS = 22;

interface TimelineChartProps {
  readonly timeline: RunTimeline;
  readonly view: RunSearch;
}

/** Bands on one axis: samples under way, how they ended, and what happened meanwhile. */
export function TimelineChart({ timeline, view }: TimelineChartProps) {
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box);
  const open = useOpenEnding(view);
  const rows = useMemo(() => endingRows(timeline.samples), [timeline]);
  const all = useMemo(() => rows.flatMap(({ endings }) => endings).sort((a, b) => a.to - b.to), [rows]);
  const [pointed, setPointed] = useState<Ending>();
  const endMs = Math.max(1, timeline.endMs - timeline.startMs);
  const x = scaleLinear([0, endMs], [LEFT, Math.max(LEFT + 50, width - RIGHT)]);
  const rowsTop = ACTIVE + 8;
  const marksTop = rowsTop + rows.length * ROW + 4;
  const height = marksTop + MARKS + AXIS;
  const point = (event: PointerEvent<SVGSVGElement>) => {
    const { left, top } = event.currentTarget.getBoundingClientRect();
    const row = rows[Math.floor((event.clientY - top - rowsTop) / ROW)];
    setPointed(nearestEnding(row?.endings ?? all, x.invert(event.clientX - left)));
  };
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && pointed !== undefined) open(pointed);
    const next = endingBy(event.key, all, pointed);
    if (next === undefined) return;
    event.preventDefault();
    setPointed(next);
  };
  return (
    <div
      ref={box}
      className={styles.chart}
      role="group"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: arrows go from mark to mark
      tabIndex={0}
      aria-label="Timeline; arrow keys go from ending to ending, Enter opens it"
      onKeyDown={press}
    >
      {width > 0 && (
        <svg
          width={width}
          height={height}
          aria-hidden="true"
          onPointerMove={point}
          onPointerLeave={() => setPointed(undefined)}
          onClick={() => pointed !== undefined && open(pointed)}
        >
          <ActiveBand timeline={timeline} x={x} endMs={endMs} />
          <Endings rows={rows} x={x} top={rowsTop} right={width - RIGHT} />
          <TimelineMarks
            marks={timeline.marks}
            x={x}
            top={marksTop}
            height={height - AXIS}
            row={ROW}
            left={LEFT}
          />
          <Axis x={x} y={height - AXIS} endMs={endMs} />
          {pointed !== undefined && (
            <line className={styles.cursor} x1={x(pointed.to)} x2={x(pointed.to)} y1={0} y2={height - AXIS} />
          )}
        </svg>
      )}
      {pointed !== undefined && (
        <ChartTip x={x(pointed.to)} y={rowsTop} width={width}>
          <EndingWords ending={pointed} timeline={timeline} />
        </ChartTip>
      )}
      <p className="visually-hidden" role="status">
        {pointed !== undefined && <EndingWords ending={pointed} timeline={timeline} />}
      </p>
    </div>
  );
}

/** Where an arrow leads: to the next ending, or the one before. */
function endingBy(key: string, all: readonly Ending[], now: Ending | undefined): Ending | undefined {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
  if (step === undefined) return undefined;
  const at = now === undefined ? -1 : all.indexOf(now);
  return all[Math.max(0, Math.min(all.length - 1, at + step))];
}

interface EndingsProps {
  readonly rows: ReturnType<typeof endingRows>;
  readonly x: (ms: number) => number;
  readonly top: number;
  readonly right: number;
}

/** A row of dots for each outcome, with its word. */
function Endings({ rows, x, top, right }: EndingsProps) {
  const count = rows.reduce((sum, { endings }) => sum + endings.length, 0);
  return rows.map(({ outcome, endings }, at) => {
    const { glyph, word, tone } = outcomeShown(outcome);
    const y = top + at * ROW + ROW / 2;
    return (
      <g key={outcome}>
        <text className={classes(styles.label, styles[tone])} x={LEFT - 10} y={y + 4}>
          {word} {glyph}
        </text>
        <line className={styles.line} x1={LEFT} x2={right} y1={y} y2={y} />
        <path
          className={classes(styles.dots, styles[tone])}
          strokeWidth={dotRadius(count) * 2}
          d={endings.map(({ to }) => `M${x(to).toFixed(1)},${y}h0`).join('')}
        />
      </g>
    );
  });
}

function useOpenEnding({ run, q, sort, score }: RunSearch) {
  const navigate = useNavigate();
  return ({ id, epoch }: Ending) =>
    void navigate({
      to: '/runs/$run/s/$sample/$epoch',
      params: { run, sample: String(id), epoch: String(epoch) },
      search: { q, sort, score },
    });
}

function EndingWords({ ending, timeline }: { readonly ending: Ending; readonly timeline: RunTimeline }) {
  const { glyph, word } = outcomeShown(ending.outcome);
  return (
    <>
      <b>{String(ending.id)}</b> epoch {ending.epoch}: {glyph} {word}
      {ending.limit !== undefined && `, limit: ${ending.limit}`}
      <br />
      ended at {formatDuration(ending.to)}, took {formatDuration(ending.to - ending.from)},{' '}
      {activeAt(timeline.active, ending.to)} under way
    </>
  );
}

interface BandProps {
  readonly timeline: RunTimeline;
  readonly x: ReturnType<typeof scaleLinear<number, number>>;
  readonly endMs: number;
}

function ActiveBand({ timeline, x, endMs }: BandProps) {
  const most = timeline.active.reduce((max, [, count]) => Math.max(max, count), 1);
  const y = scaleLinear([0, most], [ACTIVE, 20]);
  return (
    <g>
      <text className={styles.label} x={LEFT - 10} y={ACTIVE - 2}>
        under way
      </text>
      <text className={styles.label} x={LEFT - 10} y={26}>
        {most}
      </text>
      <line className={styles.line} x1={LEFT} x2={x(endMs)} y1={ACTIVE} y2={ACTIVE} />
      <path className={styles.active} d={stepPath(timeline.active, { x, y, endMs })} />
    </g>
  );
}

function Axis({ x, y, endMs }: Omit<BandProps, 'timeline'> & { readonly y: number }) {
  return (
    <g>
      <line className={styles.axis} x1={LEFT} x2={x(endMs)} y1={y} y2={y} />
      {timeTicks(endMs).map((tick) => (
        <g key={tick} transform={`translate(${x(tick)} ${y})`}>
          <line className={styles.axis} y2={4} />
          <text className={styles.tick} y={16}>
            {formatDuration(tick)}
          </text>
        </g>
      ))}
    </g>
  );
}

const STEPS_MS = [
  1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400, 28_800, 86_400,
].map((seconds) => seconds * 1_000);

/** Whole seconds, minutes or hours, about seven of them. */
function timeTicks(endMs: number): readonly number[] {
  const step = STEPS_MS.find((ms) => endMs / ms <= 8) ?? 86_400_000 * Math.ceil(endMs / 86_400_000 / 8);
  return Array.from({ length: Math.floor(endMs / step) + 1 }, (_, at) => at * step);
}
