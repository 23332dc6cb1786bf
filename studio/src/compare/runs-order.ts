import { RUNS_MAX } from '../ui/run-letters.ts';

/** The runs of a comparison as an address has them: with commas between them, the base first. Twice the same is once. */
export function parseRuns(text: string): readonly string[] {
  return [...new Set(text.split(',').filter((run) => run !== ''))].slice(0, RUNS_MAX);
}

export function printRuns(runs: readonly string[]): string {
  return runs.join(',');
}

/** A and B in each other's place. */
export function swapped([a, b, ...rest]: readonly string[]): readonly string[] {
  return a === undefined || b === undefined ? [a, b].filter((run) => run !== undefined) : [b, a, ...rest];
}

/** The run at `index` becomes the base; the others keep their order. */
export function withBase(runs: readonly string[], index: number): readonly string[] {
  const base = runs[index];
  return base === undefined ? runs : [base, ...runs.filter((_, at) => at !== index)];
}

/** The run at `index` one place further on; out of the ends nothing moves. */
export function moved(runs: readonly string[], index: number, by: 1 | -1): readonly string[] {
  const run = runs[index];
  const other = runs[index + by];
  if (run === undefined || other === undefined) return runs;
  return runs.map((one, at) => (at === index ? other : at === index + by ? run : one));
}

export function without(runs: readonly string[], run: string): readonly string[] {
  return runs.filter((one) => one !== run);
}

export function withRun(runs: readonly string[], run: string): readonly string[] {
  return runs.includes(run) || runs.length >= RUNS_MAX ? runs : [...runs, run];
}
