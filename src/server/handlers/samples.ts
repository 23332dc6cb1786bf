import { definedOf } from '../../base/index.ts';
import { compileSampleQuery, sortSamples } from '../../views/index.ts';
import type { SampleItem, SampleOrder, SamplesPage } from '../api.ts';
import { Breath } from '../breath.ts';
import type { Call } from '../call.ts';
import { samplesCommand } from '../run-commands.ts';
import { type SampleItems, sampleItems, verdictsBySample } from '../sample-items.ts';
import { readSampleRows } from '../sample-rows.ts';

/** The samples of a run, filtered and sorted: a page of them. */
export async function samples(call: Call<'samples'>): Promise<SamplesPage> {
  const { offset, limit } = call.query;
  const { chosen, all, wrong, item } = await chooseSamples(call);
  const { scores, told, metadataKeys } = all;
  return {
    samples: chosen.slice(offset, offset + limit),
    offset,
    total: chosen.length,
    all: all.items.length,
    scores: [...scores],
    ...definedOf({ score: told.figure }),
    metadataKeys: [...metadataKeys],
    ...definedOf({ wrong }),
    command: samplesCommand(item),
  };
}

/** The same as keys only, for going from one sample to the next. */
export async function sampleOrder(call: Call<'sampleOrder'>): Promise<SampleOrder> {
  const { chosen } = await chooseSamples(call);
  const keys = chosen.flatMap(({ id, epochs }) =>
    epochs.map(({ epoch, outcome }): SampleOrder['keys'][number] => [id, epoch, outcome]),
  );
  return { keys };
}

async function chooseSamples({
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
  const judged = withVerdicts(all, verdictsBySample(inForms.marks));
  const score = all.told.figure;
  const { matches, wrong } = compileSampleQuery(query.q, { score });
  const chosen = sortSamples(judged.filter(matches), query.sort, { score });
  return { chosen, all, wrong, item };
}

function withVerdicts(
  { items }: SampleItems,
  verdicts: ReturnType<typeof verdictsBySample>,
): readonly SampleItem[] {
  if (verdicts.size === 0) return items;
  return items.map((item) => {
    const said = verdicts.get(String(item.id));
    return said ? { ...item, verdicts: [...said] } : item;
  });
}
