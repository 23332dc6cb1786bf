import type { RunRecord } from './records.ts';

/** The same without the ids of its samples, which make it as large as the run [JRN-18]. */
export function briefRunRecord(run: RunRecord): RunRecord {
  const { sample_ids: _ids, ...dataset } = run.start.eval.dataset;
  return { ...run, start: { ...run.start, eval: { ...run.start.eval, dataset } }, isBrief: true };
}

/** The first that names its samples, else the first. */
export function fullestOf(records: Iterable<RunRecord>): RunRecord | undefined {
  let first: RunRecord | undefined;
  for (const record of records) {
    if (!record.isBrief) return record;
    first ??= record;
  }
  return first;
}
