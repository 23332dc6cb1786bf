import { ActionableError, type Json, type SampleKey } from '../../base/index.ts';
import type { EvalSampleSummary } from '../../log/index.ts';
import type { RunMarks } from '../../results/index.ts';
import { firstIn, visitMessage, visitTexts } from '../../views/index.ts';
import type { OpenRun } from '../studio.ts';
import { mayContain } from './byte-search.ts';
import type { Needle } from './needle.ts';
import type { SearchOptions, SearchSink } from './run-search.ts';
import type { SampleHit } from './sample-hits.ts';

/** Looks through what lists say of the samples of a run: inputs, targets, answers and errors. */
export async function searchInputs(
  { reader, log }: OpenRun,
  { needle, breath }: SearchOptions,
  sink: SearchSink,
): Promise<boolean> {
  const list = log?.readMember('summaries.json');
  if (list && !(await mayContain(list, needle, breath))) return false;
  try {
    for await (const { value } of reader.summaries()) {
      if (sink.wanted <= 0) break;
      await sink.sample({ id: value.id, epoch: value.epoch }, hitsInSummary(value, needle));
      await breath.take();
    }
  } catch (error) {
    if (!(error instanceof ActionableError)) throw error;
    sink.problem(error);
  }
  return true;
}

function hitsInSummary(summary: EvalSampleSummary, needle: Needle): readonly SampleHit[] {
  const hits: SampleHit[] = [];
  const look = (where: string) => (text: string) => {
    const snippet = firstIn(text, needle);
    // One line for each of them.
    if (snippet && hits.at(-1)?.where !== where) hits.push({ ...snippet, where });
  };
  const { input, target, choices, scores = {}, error } = summary;
  if (typeof input === 'string') look('input')(input);
  else for (const message of input) visitMessage(message, look('input'));
  visitTexts([target, choices ?? []] as Json, look('target'));
  for (const { answer, explanation } of Object.values(scores))
    visitTexts([answer ?? null, explanation ?? null], look('answer'));
  visitTexts(error, look('error'));
  return hits;
}

/** Looks through what people said of a run. */
export function searchNotes(
  { notes, verdicts }: RunMarks,
  needle: Needle,
): readonly { readonly key?: SampleKey; readonly hit: SampleHit }[] {
  return [...notes, ...verdicts].flatMap(({ text, anchor, kind }) => {
    const snippet = text === undefined ? undefined : firstIn(text, needle);
    if (!snippet) return [];
    const hit = { ...snippet, where: kind === 'note' ? 'note' : 'verdict' };
    return [anchor ? { key: { id: anchor.sample, epoch: anchor.epoch }, hit } : { hit }];
  });
}
