import { type SharedRun, spentOn } from '../../cluster/index.ts';
import type { SharedRates } from '../api.ts';

/** More columns than this are not told apart. */
const COLUMNS_MAX = 90;
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const STEPS: readonly number[] = [
  ...[1, 2, 5, 10, 15, 30].map((count) => count * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * MINUTE),
  ...[1, 2, 3, 6, 12, 24].map((count) => count * HOUR),
];

type Column = 'completed' | 'failed' | 'lost' | 'builds' | 'usd';

interface Moment {
  readonly ms: number;
  readonly column: Column;
  readonly amount: number;
}

/** What ended when, in intervals of the same length, from the submission to the last end, or to now where it goes on. */
export function ratesOf(shared: SharedRun, nowMs: number | undefined): SharedRates {
  const moments = momentsOf(shared).filter(({ ms }) => Number.isFinite(ms));
  const times = moments.map(({ ms }) => ms);
  const submittedMs = Date.parse(shared.submission.at);
  const startMs = least([...times, ...(Number.isFinite(submittedMs) ? [submittedMs] : [])]) ?? nowMs ?? 0;
  const endMs = Math.max(startMs, greatest(times) ?? startMs, nowMs ?? startMs);
  const stepMs = stepFor(endMs - startMs);
  const columns = 1 + Math.floor((endMs - startMs) / stepMs);
  const empty = () => new Array<number>(columns).fill(0);
  const rates = { completed: empty(), failed: empty(), lost: empty(), builds: empty(), usd: empty() };
  for (const { ms, column, amount } of moments) {
    const at = Math.floor((ms - startMs) / stepMs);
    rates[column][at] = (rates[column][at] ?? 0) + amount;
  }
  return { startMs, stepMs, ...rates };
}

function momentsOf(shared: SharedRun): readonly Moment[] {
  const moments: Moment[] = [];
  for (const job of shared.jobs()) {
    for (const { ended } of shared.leasesOf(job)) {
      const column = ended && columnOf(ended.status, job.startsWith('b'));
      if (ended && column) moments.push({ ms: Date.parse(ended.at), column, amount: 1 });
    }
    for (const { at, usd } of spentOn(shared, job))
      moments.push({ ms: Date.parse(at), column: 'usd', amount: usd });
  }
  return moments;
}

/** Undefined for what was given back: somebody else ends it. */
function columnOf(status: string, isBuild: boolean): Column | undefined {
  if (status === 'lost') return 'lost';
  if (status === 'errored' || status === 'aside') return 'failed';
  if (status === 'completed') return isBuild ? 'builds' : 'completed';
  return undefined;
}

function stepFor(lengthMs: number): number {
  const step = STEPS.find((one) => lengthMs / one < COLUMNS_MAX);
  return step ?? Math.ceil(lengthMs / COLUMNS_MAX / (24 * HOUR)) * 24 * HOUR;
}

/** Of any number of them: a call takes only so many arguments. */
function least(values: readonly number[]): number | undefined {
  return values.reduce<number | undefined>(
    (best, one) => (best === undefined || one < best ? one : best),
    undefined,
  );
}

function greatest(values: readonly number[]): number | undefined {
  return values.reduce<number | undefined>(
    (best, one) => (best === undefined || one > best ? one : best),
    undefined,
  );
}
