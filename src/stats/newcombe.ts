import { type Interval, wilsonInterval } from './intervals.ts';
import type { Discordant } from './mcnemar.ts';

/** All pairs of pass and fail. */
export interface PairTable extends Discordant {
  readonly bothPass: number;
  readonly bothFail: number;
}

/**
 * Newcombe's interval for the difference of two paired shares, after minus before (Statistics in Medicine 17, 1998, 2635–2650,
 * method 10): Wilson's intervals of the two shares, squared and added, less what their correlation explains. Unlike the textbook
 * interval it is sensible for few pairs and near 0 and 1.
 *
 * Products and sums are paired so that swapping the sides gives the same numbers with the other sign, to the last bit.
 */
export function newcombeInterval(table: PairTable, level = 0.95): Interval {
  const { bothPass, bothFail, gained, lost } = table;
  const count = bothPass + bothFail + gained + lost;
  if (count === 0) return { lower: -1, upper: 1 };
  const difference = (gained - lost) / count;
  const before = reachOf(bothPass + lost, count, level);
  const after = reachOf(bothPass + gained, count, level);
  const correlation = correlationOf(table);
  return {
    lower: Math.max(-1, difference - combined(after.down, before.up, correlation)),
    upper: Math.min(1, difference + combined(after.up, before.down, correlation)),
  };
}

/** How far Wilson's interval reaches below and above a share. */
function reachOf(passed: number, count: number, level: number) {
  const { lower, upper } = wilsonInterval(passed, count, level);
  const share = passed / count;
  return { down: Math.max(0, share - lower), up: Math.max(0, upper - share) };
}

/** The correlation φ of the two sides; a positive one is corrected for continuity. */
function correlationOf({ bothPass, bothFail, gained, lost }: PairTable): number {
  const count = bothPass + bothFail + gained + lost;
  const scale =
    Math.sqrt((bothPass + gained) * (lost + bothFail)) * Math.sqrt((bothPass + lost) * (gained + bothFail));
  if (scale === 0) return 0;
  const product = bothPass * bothFail - gained * lost;
  return (product < 0 ? product : Math.max(0, product - count / 2)) / scale;
}

function combined(one: number, other: number, correlation: number): number {
  return Math.sqrt(Math.max(0, one * one + other * other - 2 * correlation * (one * other)));
}
