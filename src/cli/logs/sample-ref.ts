import { type SampleKey, UsageError } from '../../base/index.ts';
import type { LogReader } from '../../log/index.ts';

/** Finds the sample that `id` or `id@epoch` names. The id may itself hold an `@`. */
export async function findSample(log: LogReader, ref: string): Promise<SampleKey> {
  const samples = await log.samples();
  const at = ref.lastIndexOf('@');
  const wanted = [
    { id: ref, epoch: 1 },
    ...(at > 0 ? [{ id: ref.slice(0, at), epoch: Number(ref.slice(at + 1)) }] : []),
  ];
  for (const { id, epoch } of wanted) {
    const found = samples.find((sample) => String(sample.id) === id && sample.epoch === epoch);
    if (found) return found;
  }
  const some = samples.slice(0, 5).map(({ id, epoch }) => (epoch === 1 ? String(id) : `${id}@${epoch}`));
  throw new UsageError({
    code: 'E_SAMPLE_NONE',
    message: `${log.path} has no sample ${ref}.`,
    hint: `It has ${some.join(', ')}${samples.length > some.length ? ` and ${samples.length - some.length} more` : ''}.`,
  });
}
