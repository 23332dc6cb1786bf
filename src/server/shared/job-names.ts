import { definedOf } from '../../base/index.ts';
import { type JobId, parseJob, type Submission } from '../../cluster/index.ts';
import type { SharedLease } from '../api.ts';

export type JobName = Pick<SharedLease, 'sample' | 'unit'>;

/** What jobs are called by people: samples by their ids, as far as the submission knows them, builds by their units. */
export function jobNames({ record, builds }: Submission): (job: JobId) => JobName {
  const ids = record.start?.eval.dataset.sample_ids ?? [];
  const units = new Map(builds.map(({ job, unit }) => [job, unit]));
  return (job) => {
    const parsed = parseJob(job);
    if (parsed?.kind !== 'sample') return definedOf({ unit: units.get(job) });
    // Positions are those of the plan: all of epoch 1 first.
    const id = ids[parsed.position % Math.max(1, ids.length)];
    if (id === undefined) return {};
    return { sample: { id, epoch: 1 + Math.floor(parsed.position / ids.length) } };
  };
}
