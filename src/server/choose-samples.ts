import type { Clock, SampleKey } from '../base/index.ts';
import { type LogReader, readRunFromLog } from '../log/index.ts';
import type { RunMarks } from '../results/index.ts';
import { compileSampleQuery, parseSampleSort, sortSamples, type Wrong } from '../views/index.ts';
import type { SampleItem } from './api.ts';
import { Breath } from './breath.ts';
import { type SampleItems, sampleItems, verdictsBySample } from './sample-items.ts';
import { collectRows } from './sample-rows.ts';

export interface SamplesAsked {
  readonly q: string;
  readonly sort: string;
  /** Names the score that decides. */
  readonly score: string | undefined;
}

/** The samples that a filter leaves, in the order of a sort. */
export function chooseSamples(
  all: SampleItems,
  { q, sort }: Pick<SamplesAsked, 'q' | 'sort'>,
  marks: RunMarks | undefined,
): {
  readonly chosen: readonly SampleItem[];
  readonly judged: readonly SampleItem[];
  readonly wrong?: Wrong;
} {
  const judged = withVerdicts(all, verdictsBySample(marks));
  const score = all.told.figure;
  const { matches, wrong } = compileSampleQuery(q, { score });
  const chosen = sortSamples(judged.filter(matches), sort, { score });
  return wrong ? { chosen, judged, wrong } : { chosen, judged };
}

export interface ChosenKeys {
  readonly keys: readonly SampleKey[];
  /** What is not understood, and in which of the two. */
  readonly wrong?: Wrong & { readonly in: 'where' | 'sort' };
}

/** The same for a log that no Studio has opened: what its table would show, epochs one after the other. */
export async function samplesChosenIn(
  log: LogReader,
  asked: SamplesAsked & { readonly marks: RunMarks | undefined },
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<ChosenKeys> {
  const breath = new Breath(clock, signal);
  const rows = await collectRows(readRunFromLog(log), log.path, breath);
  const all = await sampleItems(rows, asked.score, breath);
  const { chosen, wrong } = chooseSamples(all, asked, asked.marks);
  const keys = chosen.flatMap(({ id, epochs }) => epochs.map(({ epoch }) => ({ id, epoch })));
  if (wrong) return { keys, wrong: { ...wrong, in: 'where' } };
  const sorted = parseSampleSort(asked.sort, { score: all.told.figure });
  return sorted.wrong ? { keys, wrong: { ...sorted.wrong, in: 'sort' } } : { keys };
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
