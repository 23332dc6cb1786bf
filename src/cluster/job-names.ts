import { definedOf, type SampleKey } from '../base/index.ts';
import { type JobId, parseJob, sampleJob } from './shared-keys.ts';
import type { Submission } from './shared-records.ts';

/** What a job is called by people. */
export interface JobName {
  readonly sample?: SampleKey;
  /** `<kind>/<key>` of what a build builds. */
  readonly unit?: string;
}

type Named = Pick<Submission, 'record' | 'builds'>;

/** Samples by their ids, as far as the submission knows them, builds by their units. Known from the first moment, whatever has run. */
export function jobNames({ record, builds }: Named): (job: JobId) => JobName {
  const ids = idsIn(record);
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

/** `cities-4`, `cities-4@2` for its second epoch, `knowledge/shop`; empty where nothing is known. */
export function jobNameText({ sample, unit }: JobName): string {
  if (!sample) return unit ?? '';
  return sample.epoch === 1 ? String(sample.id) : `${sample.id}@${sample.epoch}`;
}

/** The jobs that are samples of an id, one for each epoch, or the one that `id@epoch` names. */
export function jobsNamed(
  { record, samples }: Pick<Submission, 'record' | 'samples'>,
  named: string,
): readonly JobId[] {
  const nameOf = jobNames({ record, builds: [] });
  const all = Array.from({ length: samples }, (_, position) => sampleJob(position));
  const ofId = all.filter((job) => String(nameOf(job).sample?.id) === named);
  return ofId.length > 0 ? ofId : all.filter((job) => jobNameText(nameOf(job)) === named);
}

/** Of all samples that the submission names, in the order of the plan. */
export function idsIn(record: Submission['record']): readonly SampleKey['id'][] {
  return record.start?.eval.dataset.sample_ids ?? [];
}
