import type { RunView } from '../../../../src/server/api.ts';
import { formatInterval, formatScore } from '../../ui/format.ts';

type ScoreOfRun = RunView['scores'][number];

/** A metric on its axis. Places are shares of the axis, from 0 to 1. */
export interface ScoreRow {
  readonly key: string;
  readonly name: string;
  readonly metric: string;
  /** `0.734 ±0.031` */
  readonly text: string;
  readonly at: number | undefined;
  readonly from: number | undefined;
  readonly to: number | undefined;
  /** Where the previous run was. */
  readonly before: number | undefined;
  readonly about: string;
}

export interface ScoreChart {
  readonly rows: readonly ScoreRow[];
  /** The ends of the axis. */
  readonly axis: readonly [number, number];
}

/**
 * Shares are all on one axis, so that they can be held against each other; it is as short as lets their intervals be seen. What has
 * another unit, or tells how wide another figure spreads, has no place on it: its number says what there is to say.
 */
export function scoreChart(scores: readonly ScoreOfRun[], previousFirst: number | undefined) {
  const axis = axisOf(
    scores.filter(isShare).flatMap(({ value, low, high }) => [value, low, high, previousFirst]),
  );
  const rows = scores.map((score, index): ScoreRow => {
    const { value, low, high } = score;
    const before = index === 0 ? previousFirst : undefined;
    const isDrawn = isShare(score);
    const place = (one: number | undefined) =>
      one === undefined || !isDrawn
        ? undefined
        : Math.min(1, Math.max(0, (one - axis[0]) / (axis[1] - axis[0])));
    return {
      key: `${score.scorer} ${score.name} ${score.metric} ${score.reducer ?? ''} ${index}`,
      name: score.name,
      metric: score.metric,
      text: [formatScore(value), formatInterval(score)].join(' ').trim(),
      at: place(value ?? undefined),
      from: place(low),
      to: place(high),
      before: place(before),
      about: aboutOf(score, before),
    };
  });
  return { rows, axis };
}

const LEAST_WIDTH = 0.2;

/** Tenths around all of them, within 0 and 1. */
function axisOf(values: readonly (number | null | undefined)[]): readonly [number, number] {
  const known = values.filter(
    (value) => value !== null && value !== undefined && Number.isFinite(value),
  ) as number[];
  if (known.length === 0) return [0, 1];
  const low = Math.max(0, Math.floor(Math.min(...known) * 10 - 0.2) / 10);
  const high = Math.min(1, Math.ceil(Math.max(...known) * 10 + 0.2) / 10);
  if (high - low >= LEAST_WIDTH) return [low, high];
  return high === 1 ? [1 - LEAST_WIDTH, 1] : [low, low + LEAST_WIDTH];
}

/** What the previous run had for the first score. */
export function previousValue({ item, scores }: Pick<RunView, 'item' | 'scores'>): number | undefined {
  const value = scores[0]?.value;
  const difference = item.previous?.difference;
  if (value === undefined || value === null || difference === undefined) return undefined;
  return Number.isFinite(value - difference) ? value - difference : undefined;
}

function isShare({ value, metric }: ScoreOfRun): boolean {
  return value !== null && value >= 0 && value <= 1 && !/^(std|stderr|var|variance)/i.test(metric);
}

function aboutOf(
  { scorer, metric, low, high, reducer, scored, unscored }: ScoreOfRun,
  before: number | undefined,
) {
  const parts = [
    `${scorer}: ${metric}`,
    reducer === undefined ? '' : `epochs reduced by ${reducer}`,
    low === undefined || high === undefined
      ? 'no interval'
      : `95 % [${formatScore(low)}, ${formatScore(high)}]`,
    scored === undefined ? '' : `${scored} scored`,
    unscored === undefined || unscored === 0 ? '' : `${unscored} not scored`,
    before === undefined ? '' : `previous run ${formatScore(before)}`,
  ];
  return parts.filter((part) => part !== '').join(' · ');
}
