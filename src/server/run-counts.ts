import type { LogHeader } from '../log/index.ts';
import type { Counts, Outcome, RunItem } from './api.ts';
import type { SampleItems } from './sample-items.ts';

const NONE: Readonly<Record<Outcome, number>> = {
  pass: 0,
  partial: 0,
  fail: 0,
  number: 0,
  error: 0,
  unscored: 0,
  running: 0,
  interrupted: 0,
  missing: 0,
};

/** What became of each sample at each epoch; what was planned and is not there is missing, so that it adds up. */
export function countsOf({ items }: SampleItems, header: LogHeader, item: RunItem): Counts {
  const counts = { ...NONE };
  let there = 0;
  for (const { epochs } of items) {
    for (const { outcome } of epochs) {
      counts[outcome]++;
      there++;
    }
  }
  const total = Math.max(there, plannedOf(header, item));
  return { total, ...counts, missing: counts.missing + total - there };
}

/** How many samples at epochs there should be, by whoever says the most. */
function plannedOf({ eval: { dataset, config }, results }: LogHeader, { facts }: RunItem): number {
  const rows = dataset.sample_ids?.length ?? dataset.samples ?? 0;
  const told = [
    results?.total_samples ?? 0,
    facts?.samples.total ?? 0,
    limited(rows, config.limit) * (config.epochs ?? 1),
  ];
  // A log that is finished says itself how many there were: the dataset may have more that nobody asked for.
  const known = results ? told.slice(0, 1) : told;
  return Math.max(0, ...known.filter((count) => Number.isSafeInteger(count)));
}

function limited(rows: number, limit: LogHeader['eval']['config']['limit']): number {
  if (typeof limit === 'number') return Math.min(rows, limit);
  if (!limit) return rows;
  const [from, to] = limit;
  return Math.max(0, Math.min(rows, to) - from);
}
