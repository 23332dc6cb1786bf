/** One thing that is measured. Absolute times depend on the machine; what is judged is a ratio or a size. */
export interface Bench {
  readonly name: string;
  readonly about: string;
  run(options: BenchOptions): Promise<readonly Finding[]>;
}

export interface BenchOptions {
  /** A part of the full size, for a quick look; benchmarks that have no size of their own ignore it. */
  readonly scale: number;
}

/** What a benchmark found: raw figures, and what they come to beside what they may come to. */
export interface Finding {
  readonly what: string;
  readonly figures: Readonly<Record<string, unknown>>;
  /** In words and numbers, for people. */
  readonly line: string;
  readonly measured: number;
  /** What the project promises. Not asserted: a noisy machine is no failing build. */
  readonly atMost: number;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2;
}

export function rounded(value: number, digits = 2): number {
  return Number(value.toFixed(digits));
}

export const MB = 1024 * 1024;
