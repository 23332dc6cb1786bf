import { type Digest, digestOf, type SampleId } from '../base/index.ts';
import type { RunRecord } from '../journal/index.ts';

/** What a run is of: two with the same would ask for the same, whatever artifacts they find there. */
export function workOf(
  { eval: name, target, definition }: Pick<RunRecord['identity'], 'eval' | 'target' | 'definition'>,
  { ids, planned }: { readonly ids: readonly SampleId[]; readonly planned: number },
): Digest {
  const sorted = ids.map((id) => JSON.stringify(id)).sort();
  return digestOf([name, target, definition, planned, ...sorted].join('\n'));
}

export function workOfRecord({ identity, planned, start }: RunRecord): Digest {
  return workOf(identity, { ids: start.eval.dataset.sample_ids ?? [], planned });
}
