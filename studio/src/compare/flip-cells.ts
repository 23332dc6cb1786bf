import type { ComparedRun } from '../../../src/server/api.ts';
import { letterOf } from '../ui/run-letters.ts';

export type FlipName = keyof ComparedRun['flips'];

/** One cell of the flips picture: how many samples, and the filter that leaves them. */
export interface FlipCell {
  readonly name: FlipName;
  readonly count: number;
  /** `A ✓ B ✗` in words. */
  readonly label: string;
  readonly query: string;
}

/** What became of the samples in the base and in the run at `index`. The counts add up to all samples that either has. */
export function flipCells(flips: ComparedRun['flips'], index: number): Readonly<Record<FlipName, FlipCell>> {
  const [a, b] = [letterOf(0), letterOf(index)];
  const [before, after] = [a.toLowerCase(), b.toLowerCase()];
  const isIn = `-${before}:missing -${after}:missing`;
  const isJudged = `(${before}:pass or ${before}:fail) (${after}:pass or ${after}:fail)`;
  const cell = (name: FlipName, label: string, query: string): FlipCell => ({
    name,
    count: flips[name],
    label,
    query,
  });
  return {
    bothPass: cell('bothPass', 'both pass', `${before}:pass ${after}:pass`),
    onlyBefore: cell('onlyBefore', `only ${a} passes`, `${before}:pass ${after}:fail`),
    onlyAfter: cell('onlyAfter', `only ${b} passes`, `${before}:fail ${after}:pass`),
    bothFail: cell('bothFail', 'both fail', `${before}:fail ${after}:fail`),
    other: cell('other', 'partly, or not judged', `${isIn} -(${isJudged})`),
    notInBefore: cell('notInBefore', `only in ${b}`, `${before}:missing -${after}:missing`),
    notInAfter: cell('notInAfter', `only in ${a}`, `${after}:missing -${before}:missing`),
  };
}

/** Results, epoch by epoch, that are better or worse. */
export interface MovedResults {
  readonly improved: number;
  readonly regressed: number;
}

/** The finding of the picture, in one sentence. A sample may move in some of its epochs without turning from one to the other. */
export function flipsTitle(
  { onlyBefore, onlyAfter }: ComparedRun['flips'],
  index: number,
  { improved, regressed }: MovedResults = { improved: 0, regressed: 0 },
): string {
  const [a, b] = [letterOf(0), letterOf(index)];
  if (onlyBefore + onlyAfter === 0)
    return improved + regressed === 0
      ? `No sample flips between ${a} and ${b}`
      : `No sample flips in all its epochs; ${improved} results are better in ${b}, ${regressed} worse`;
  const gained = `${b} passes ${onlyAfter} that ${a} fails`;
  if (onlyAfter === 0) return `${b} fails ${onlyBefore} that ${a} passes, and gains none`;
  return onlyBefore === 0
    ? `${gained}, and loses none`
    : `${gained}, and fails ${onlyBefore} that ${a} passes`;
}
