import { definedOf } from '../../base/index.ts';
import { commandForSamples, countSampleStates } from '../../views/index.ts';
import type { SampleOrder, SamplesPage } from '../api.ts';
import { Breath } from '../breath.ts';
import type { Call } from '../call.ts';
import { chooseSamples } from '../choose-samples.ts';
import { samplesCommand } from '../run-commands.ts';
import { sampleItems } from '../sample-items.ts';
import { readSampleRows } from '../sample-rows.ts';

/** The samples of a run, filtered and sorted: a page of them. */
export async function samples(call: Call<'samples'>): Promise<SamplesPage> {
  const { offset, limit } = call.query;
  const { chosen, judged, all, wrong, item } = await samplesAsked(call);
  const { scores, told, metadataKeys } = all;
  return {
    samples: chosen.slice(offset, offset + limit),
    offset,
    total: chosen.length,
    all: all.items.length,
    states: countSampleStates(judged),
    scores: [...scores],
    ...definedOf({ score: told.figure }),
    metadataKeys: [...metadataKeys],
    ...definedOf({ wrong }),
    command: commandForSamples(samplesCommand(call.studio, item), call.query),
  };
}

/** The same as keys only, for going from one sample to the next. */
export async function sampleOrder(call: Call<'sampleOrder'>): Promise<SampleOrder> {
  const { chosen } = await samplesAsked(call);
  const keys = chosen.flatMap(({ id, epochs }) =>
    epochs.map(({ epoch, outcome }): SampleOrder['keys'][number] => [id, epoch, outcome]),
  );
  return { keys };
}

async function samplesAsked({
  studio,
  params,
  query,
  signal,
  sameAs,
}: Call<'samples'> | Call<'sampleOrder'>) {
  await using open = await studio.open(params.run ?? '');
  const { item, inForms } = open.found;
  sameAs(open.version, inForms.marks ? JSON.stringify(inForms.marks.verdicts.map(({ id }) => id)) : '');
  const rows = await readSampleRows(studio, open, signal);
  const all = await sampleItems(rows, query.score, new Breath(studio.clock, signal));
  return { ...chooseSamples(all, query, inForms.marks), all, item };
}
