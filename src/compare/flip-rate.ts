import type { CellOutcome } from './sample-cells.ts';

/** What became of a sample in a run; `missing` where the run has not got it. */
export type OutcomeInRun = CellOutcome | 'missing';

export interface FlipRate {
  readonly flips: number;
  /** How often the outcome is another than in the run before: 0 to 1. 0 when fewer than two runs judge it. */
  readonly rate: number;
}

const JUDGED: ReadonlySet<OutcomeInRun> = new Set(['pass', 'partial', 'fail']);

/** Runs that do not judge a sample, because it failed to complete or is not there, say nothing of it. */
export function flipRate(outcomes: Iterable<OutcomeInRun>): FlipRate {
  let [flips, judged] = [0, 0];
  let before: OutcomeInRun | undefined;
  for (const outcome of outcomes) {
    if (!JUDGED.has(outcome)) continue;
    if (judged++ > 0 && outcome !== before) flips++;
    before = outcome;
  }
  return { flips, rate: judged < 2 ? 0 : flips / (judged - 1) };
}
