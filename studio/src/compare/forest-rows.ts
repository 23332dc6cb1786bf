import type { FigureCompared } from '../../../src/server/api.ts';
import { formatDifference, formatDuration, formatShortCount, formatUsd } from '../ui/format.ts';
import { letterOf } from '../ui/run-letters.ts';

/** A row of the forest plot. To the right is better, whichever way the figure itself goes. */
export interface ForestRow {
  readonly figure: FigureCompared;
  /** From −1 (worse) to 1 (better), within the scale of its group. */
  readonly at: number;
  readonly from: number | undefined;
  readonly to: number | undefined;
  /** `+0.044`, `+$0.03`, with its own sign. */
  readonly difference: string;
  readonly interval: string;
}

/**
 * Scores share one scale, so that they can be held against each other. What is spent has a unit of its own in each row, and is drawn as
 * a share of what the base spends. A figure whose move cannot be drawn has no dot.
 */
export function forestRows(figures: readonly FigureCompared[]): readonly ForestRow[] {
  const scales = new Map<string, number>();
  for (const figure of figures) {
    const group = scaleOf(figure);
    const reach = Math.max(...[figure.difference, figure.low, figure.high].map((one) => sizeOf(one, figure)));
    scales.set(group, Math.max(scales.get(group) ?? 0, reach));
  }
  return figures.map((figure) => {
    const scale = scales.get(scaleOf(figure)) || 1;
    const place = (value: number) => round((signOf(figure) * shareOf(value, figure)) / scale);
    const { low, high } = figure;
    const ends = low === undefined || high === undefined ? [] : [place(low), place(high)];
    return {
      figure,
      at: place(figure.difference),
      from: ends.length === 0 ? undefined : Math.min(...ends),
      to: ends.length === 0 ? undefined : Math.max(...ends),
      difference: figureText(figure, figure.difference),
      interval:
        low === undefined || high === undefined
          ? ''
          : `[${figureText(figure, low)}, ${figureText(figure, high)}]`,
    };
  });
}

/** Figures that can be held against each other are on one scale. */
function scaleOf({ group, kind, figure }: FigureCompared): string {
  if (group === 'spent') return 'spent';
  return kind === 'pass/fail' ? 'rates' : figure;
}

function shareOf(value: number, { group, before }: FigureCompared): number {
  return group === 'spent' && before !== null && before > 0 ? value / before : value;
}

function sizeOf(value: number | undefined, figure: FigureCompared): number {
  return value === undefined || !Number.isFinite(value) ? 0 : Math.abs(shareOf(value, figure));
}

function signOf({ betterWhen }: FigureCompared): 1 | -1 {
  return betterWhen === 'higher' ? 1 : -1;
}

/** A value of a figure in its own unit, as a change. */
export function figureText({ figure, group }: FigureCompared, value: number): string {
  if (group !== 'spent' || !Number.isFinite(value)) return formatDifference(value);
  const text = spentText(figure, Math.abs(value));
  // What rounds to nothing goes neither way.
  if (!/[1-9]/.test(text)) return text;
  return `${value < 0 ? '−' : '+'}${text}`;
}

function spentText(figure: string, size: number): string {
  if (/cost|usd/i.test(figure)) return formatUsd(size);
  if (/time|duration|second/i.test(figure)) return formatDuration(size * 1_000);
  return formatShortCount(size);
}

/** What the figure is in one run, in its own unit. */
export function figureValue({ figure, group }: FigureCompared, value: number | null): string {
  if (value === null) return '–';
  if (group !== 'spent') return formatDifference(value).replace(/^\+/, '');
  return spentText(figure, value);
}

function round(value: number): number {
  return Math.round(value * 1e4) / 1e4;
}

/** The finding of the plot: which figures differ for certain. */
export function forestTitle(figures: readonly FigureCompared[], index: number): string {
  const b = letterOf(index);
  const better = figures.filter(({ verdict }) => verdict === 'better').map(({ figure }) => figure);
  const worse = figures.filter(({ verdict }) => verdict === 'worse').map(({ figure }) => figure);
  if (better.length + worse.length === 0) return `No figure of ${b} is certain to differ`;
  const parts = [
    better.length > 0 ? `better: ${better.join(', ')}` : '',
    worse.length > 0 ? `worse: ${worse.join(', ')}` : '',
  ].filter((part) => part !== '');
  return `${b} is ${parts.join(' · ')}`;
}
