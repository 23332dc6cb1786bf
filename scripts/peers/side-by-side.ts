// What both tools did in the same run on the same machine, as a line to read and one to process.

import { type Finding, median, rounded } from '../../test/bench/bench.ts';

/** As a finding of a benchmark; what is measured is Holdfast's time over AgentV's, and nothing is promised of it. */
export type SideBySide = Omit<Finding, 'atMost'>;

export interface Timed {
  readonly ms: number;
  /** With all that was started for it; on a busy machine this says more than the clock. */
  readonly cpuMs: number;
}

export interface Figures {
  readonly agentv: Timed;
  readonly holdfast: Timed;
  readonly [name: string]: unknown;
}

export interface Told {
  /** In words and numbers, for people. */
  readonly line: string;
  /** False where one of them did not do what it was asked for: then its time says nothing. */
  readonly isComparable?: boolean;
}

export function sideBySide(what: string, { line, isComparable = true }: Told, figures: Figures): SideBySide {
  const { agentv, holdfast } = figures;
  const measured = isComparable ? holdfast.ms / agentv.ms : Number.NaN;
  const ofProcessor = isComparable ? holdfast.cpuMs / agentv.cpuMs : Number.NaN;
  return { what, line, figures: { ofProcessor, ...figures }, measured };
}

export function printSideBySide({ what, line, measured, figures }: SideBySide): void {
  const result = Number.isNaN(measured) ? 'nothing to compare' : `${rounded(measured)} of AgentV's time`;
  process.stdout.write(`${what}: ${result}: ${line}\n`);
  // What is not a number becomes null.
  process.stdout.write(`${JSON.stringify({ bench: 'peers', what, measured, ...figures })}\n`);
}

export function medianOf(all: readonly Timed[]): Timed {
  return { ms: median(all.map(({ ms }) => ms)), cpuMs: median(all.map(({ cpuMs }) => cpuMs)) };
}

/** `1.06 s (720 ms of processor time)` */
export function told({ ms, cpuMs }: Timed): string {
  return Number.isNaN(cpuMs) ? seconds(ms) : `${seconds(ms)} (${seconds(cpuMs)} of processor time)`;
}

function seconds(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(2)} s`;
}
