import type { ComparedCell, ComparedSample } from '../../../../src/server/api.ts';
import { letterOf } from '../../ui/run-letters.ts';

export const MEASURES = {
  time: { label: 'Time', valueOf: ({ durationMs }: ComparedCell) => durationMs },
  cost: { label: 'Cost', valueOf: ({ usd }: ComparedCell) => usd ?? undefined },
  turns: { label: 'Turns', valueOf: ({ turns }: ComparedCell) => turns },
} as const;
export type Measure = keyof typeof MEASURES;

export interface Ecdf {
  readonly run: number;
  readonly count: number;
  readonly median: number;
  /** `[value, share of samples that take no more]`, ascending; no more of them than can be seen. */
  readonly steps: readonly (readonly [number, number])[];
}

const STEPS_MAX = 240;

/** How a measure is spread over the samples of each run that has it. */
export function ecdfsOf(samples: readonly ComparedSample[], runs: number, measure: Measure): readonly Ecdf[] {
  const { valueOf } = MEASURES[measure];
  return Array.from({ length: runs }, (_, run) => run).flatMap((run) => {
    const values = samples
      .map(({ cells }) => cells[run])
      .map((cell) => (cell === undefined ? undefined : valueOf(cell)))
      .filter((value): value is number => value !== undefined && Number.isFinite(value))
      .sort((a, b) => a - b);
    return values.length === 0 ? [] : [{ run, ...stepsOf(values) }];
  });
}

function stepsOf(values: readonly number[]): Omit<Ecdf, 'run'> {
  const count = values.length;
  const every = Math.max(1, Math.ceil(count / STEPS_MAX));
  const steps: (readonly [number, number])[] = [];
  for (let at = 0; at < count; at += every) steps.push([values[at] ?? 0, (at + 1) / count]);
  const last = values[count - 1] ?? 0;
  if (steps.at(-1)?.[1] !== 1) steps.push([last, 1]);
  return { count, median: quantile({ steps }, 0.5), steps };
}

/** The value that this share of the samples does not exceed. */
export function quantile({ steps }: Pick<Ecdf, 'steps'>, share: number): number {
  return steps.find(([, upTo]) => upTo >= share)?.[0] ?? steps.at(-1)?.[0] ?? 0;
}

/** The finding, short also where there are six runs. */
export function spreadTitle(lines: readonly Ecdf[], label: string, text: (value: number) => string): string {
  const [first, ...others] = lines.toSorted((a, b) => a.median - b.median);
  const last = others.at(-1);
  if (first === undefined) return `${label} is not known`;
  const said = ({ run, median }: Ecdf) => `${letterOf(run)} ${text(median)}`;
  if (last === undefined) return `${label}, median: ${said(first)}`;
  if (text(first.median) === text(last.median)) return `${label}, median: ${text(last.median)} in every run`;
  return `${label}, median: ${said(first)} ${others.length === 1 ? 'and' : 'to'} ${said(last)}`;
}

const SECONDS = [1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1_200, 1_800];

/** 0 and round values up to the greatest: as people count time, else 1, 2, 5. */
export function roundTicks(most: number, measure: Measure): readonly number[] {
  const steps = measure === 'time' ? clockSteps() : decimalSteps(measure === 'turns' ? 0 : -6);
  return [0, ...steps.filter((step) => step <= most)];
}

function clockSteps(): readonly number[] {
  const below = decimalSteps(0).filter((ms) => ms < 1_000);
  const hours = decimalSteps(0).map((hour) => hour * 3_600_000);
  return [...below, ...SECONDS.map((seconds) => seconds * 1_000), ...hours];
}

function decimalSteps(from: number): readonly number[] {
  return Array.from({ length: 12 }, (_, at) => 10 ** (from + at)).flatMap((ten) => [ten, ten * 2, ten * 5]);
}
