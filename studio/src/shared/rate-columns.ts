import type { SharedRates } from '../../../src/server/api.ts';
import { formatShortCount, formatUsd } from '../ui/format.ts';
import { ageText } from './shared-words.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** One interval of the chart. */
export interface RateColumn {
  /** Milliseconds after the start. */
  readonly from: number;
  readonly to: number;
  readonly completed: number;
  readonly failed: number;
  readonly lost: number;
  readonly builds: number;
  /** What was spent until its end. */
  readonly usd: number;
}

export function rateColumns(rates: SharedRates): readonly RateColumn[] {
  const { stepMs, completed, failed, lost, builds } = rates;
  let usd = 0;
  return completed.map((count, at) => {
    usd += rates.usd[at] ?? 0;
    return {
      ...{ from: at * stepMs, to: (at + 1) * stepMs, completed: count, usd },
      ...{ failed: failed[at] ?? 0, lost: lost[at] ?? 0, builds: builds[at] ?? 0 },
    };
  });
}

/** What ended in an interval: a column is as high as this. */
export function endedIn({ completed, failed, lost }: RateColumn): number {
  return completed + failed + lost;
}

/** So many of the latest intervals say how fast it goes now; the last one is not over. */
const LATELY = 5;

/** How fast it goes, as a finding. */
export function ratesSaid(rates: SharedRates, isGoingOn: boolean): string {
  const columns = rateColumns(rates);
  const all = columns.reduce((sum, one) => sum + one.completed, 0);
  if (all === 0) return 'No sample was completed yet';
  const lately = isGoingOn ? columns.slice(-1 - LATELY, -1) : [];
  if (lately.length < LATELY) return `${paceOf(columns)} on average`;
  const when = ageText(LATELY * rates.stepMs);
  if (lately.every(({ completed }) => completed === 0))
    return `Nothing was completed in the last ${when}; ${paceOf(columns)} on average`;
  return `${paceOf(lately)} over the last ${when}, ${paceOf(columns)} on average`;
}

function paceOf(columns: readonly RateColumn[]): string {
  const [first] = columns;
  const last = columns.at(-1);
  if (first === undefined || last === undefined) return 'no samples';
  const perMs = columns.reduce((sum, one) => sum + one.completed, 0) / (last.to - first.from);
  const isSlow = perMs * MINUTE < 1;
  return `${rounded(perMs * (isSlow ? HOUR : MINUTE))} samples ${isSlow ? 'an hour' : 'a minute'}`;
}

function rounded(value: number): string {
  return value < 10 ? value.toFixed(1) : formatShortCount(Math.round(value));
}

/** The length of an interval: `30 s`, `5 min`, `2 h`. They are round. */
export function stepText(stepMs: number): string {
  if (stepMs < MINUTE) return `${stepMs / 1_000} s`;
  return stepMs < HOUR ? `${stepMs / MINUTE} min` : `${stepMs / HOUR} h`;
}

/** The same in numbers. */
export function ratesTable(rates: SharedRates, timeOf: (ms: number) => string) {
  return {
    heads: ['from', 'completed', 'failed', 'lost', 'built', 'spent so far'],
    rows: rateColumns(rates).map(({ from, completed, failed, lost, builds, usd }) => [
      timeOf(rates.startMs + from),
      ...[completed, failed, lost, builds],
      formatUsd(usd),
    ]),
  };
}
