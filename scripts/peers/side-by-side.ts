// What both tools did in the same run on the same machine, as a line to read and one to process.

import { type Finding, rounded } from '../../test/bench/bench.ts';

/** As a finding of a benchmark; what is measured is Holdfast's time over AgentV's, and nothing is promised of it. */
export type SideBySide = Omit<Finding, 'atMost'>;

export interface Figures {
  readonly agentvMs: number;
  readonly holdfastMs: number;
  readonly [name: string]: unknown;
}

export interface Told {
  /** In words and numbers, for people. */
  readonly line: string;
  /** False where one of them did not do what it was asked for: then its time says nothing. */
  readonly isComparable?: boolean;
}

export function sideBySide(what: string, { line, isComparable = true }: Told, figures: Figures): SideBySide {
  const measured = isComparable ? figures.holdfastMs / figures.agentvMs : Number.NaN;
  return { what, line, figures, measured };
}

export function printSideBySide({ what, line, measured, figures }: SideBySide): void {
  const result = Number.isNaN(measured) ? 'nothing to compare' : `${rounded(measured)} of AgentV's time`;
  process.stdout.write(`${what}: ${result}: ${line}\n`);
  // What is not a number becomes null.
  process.stdout.write(`${JSON.stringify({ bench: 'peers', what, measured, ...figures })}\n`);
}

export function seconds(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(2)} s`;
}
