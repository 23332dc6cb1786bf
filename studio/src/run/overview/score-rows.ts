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
  /** The ends of the axis. */
  readonly axis: readonly [number, number];
  readonly about: string;
}

/** Shares are all on one axis from 0 to 1, so that they can be held against each other; anything else has its own. */
export function scoreRows(
  scores: readonly ScoreOfRun[],
  previousFirst: number | undefined,
): readonly ScoreRow[] {
  return scores.map((score, index) => {
    const { value, low, high } = score;
    const before = index === 0 ? previousFirst : undefined;
    const axis = axisOf([value ?? undefined, low, high, before].filter((one) => one !== undefined));
    const place = (one: number | undefined) =>
      one === undefined || !Number.isFinite(one) ? undefined : round((one - axis[0]) / (axis[1] - axis[0]));
    return {
      key: `${score.scorer} ${score.name} ${score.metric} ${score.reducer ?? ''} ${index}`,
      name: score.name,
      metric: score.metric,
      text: [formatScore(value), low === undefined || high === undefined ? '' : formatInterval({ low, high })]
        .join(' ')
        .trim(),
      at: place(value ?? undefined),
      from: place(low),
      to: place(high),
      before: place(before),
      axis,
      about: aboutOf(score, before),
    };
  });
}

/** What the previous run had for the first score. */
export function previousValue({ item, scores }: Pick<RunView, 'item' | 'scores'>): number | undefined {
  const value = scores[0]?.value;
  const difference = item.previous?.difference;
  if (value === undefined || value === null || difference === undefined) return undefined;
  return Number.isFinite(value - difference) ? value - difference : undefined;
}

function axisOf(values: readonly number[]): readonly [number, number] {
  const known = values.filter((value) => Number.isFinite(value));
  const least = Math.min(0, ...known);
  const most = Math.max(...known, least);
  if (least === 0 && most <= 1) return [0, 1];
  return [least, most === least ? least + 1 : most];
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

function round(value: number): number {
  return Math.round(value * 1e4) / 1e4;
}
