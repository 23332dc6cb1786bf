import type { EvalResults } from '../log/index.ts';

/** Sentences about metrics that are below what the eval asks for, or that were not computed at all. */
export function missedThresholds(
  threshold: Readonly<Record<string, number>>,
  results: EvalResults,
): readonly string[] {
  const missed: string[] = [];
  for (const [name, least] of Object.entries(threshold)) {
    const values = valuesOf(name, results);
    if (values.length === 0) missed.push(`${name} was not computed, but at least ${least} is asked for`);
    for (const value of values) {
      // NaN is not enough either: nothing was scored.
      if (!(value >= least)) missed.push(`${name} is ${round(value)}, below ${least}`);
    }
  }
  return missed;
}

/** `accuracy` means that of every scorer; `includes/accuracy` one scorer's. */
function valuesOf(name: string, results: EvalResults): readonly number[] {
  const [scorer, metric] = name.includes('/') ? name.split('/', 2) : [undefined, name];
  return results.scores
    .filter((score) => scorer === undefined || score.name === scorer)
    .flatMap((score) => score.metrics[metric ?? '']?.value ?? []);
}

function round(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
