import type { ComparedCell, ComparedSample } from '../../../../src/server/api.ts';

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
