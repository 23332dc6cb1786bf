import { definedOf, UsageError } from '../../base/index.ts';
import { toldFigure } from '../../compare/index.ts';
import type { ReviewQueue } from '../api.ts';
import type { Call } from '../call.ts';
import { isPublished, mustBePublished, resultsToWrite } from '../can-write.ts';
import { matchingRuns } from '../matching-runs.ts';
import { toldView } from '../note-view.ts';
import { agreementOf, type ReviewedRun, reviewItems } from '../review-queue.ts';
import { tablesOf, type WholeRun } from '../run-tables.ts';
import type { Studio } from '../studio.ts';

/** So many of the newest runs, and samples of them, are looked at. */
const RUNS_MAX = 20;
const SAMPLES_MAX = 20_000;

/** Samples to be judged: of one run, or of the newest that a filter leaves. */
export async function review({ studio, query, signal }: Call<'review'>): Promise<ReviewQueue> {
  const { wrong, runs } =
    query.run === undefined
      ? await newest(studio, query.q, signal)
      : { runs: await oneRun(studio, query.run), wrong: undefined };
  const reviewed = runs.flatMap((run) => reviewedRun(run, query.score));
  const items = reviewItems(reviewed);
  const whyNot = whyNotWritten(studio, runs);
  return {
    items: items.slice(0, query.limit).map((item) => ({ ...item, verdicts: [...item.verdicts] })),
    total: items.length,
    judged: items.filter(({ verdicts }) => verdicts.length > 0).length,
    agreement: agreementOf(items),
    canWrite: whyNot === undefined,
    ...definedOf({ whyNot, wrong }),
  };
}

async function oneRun(studio: Studio, run: string): Promise<readonly WholeRun[]> {
  const read = await tablesOf(studio).readOne(run);
  if (!read.table) throw read.error;
  return [read];
}

/** Where some are published, only those: of the others nothing could be said. */
async function newest(studio: Studio, q: string, signal: AbortSignal) {
  const { items, wrong } = await matchingRuns(studio, q, signal);
  const readable = items.filter(({ facts }) => facts !== undefined);
  const published = readable.filter(({ form }) => form === 'published');
  const runs: WholeRun[] = [];
  let samples = 0;
  for (const { run } of (published.length > 0 ? published : readable).slice(0, RUNS_MAX)) {
    signal.throwIfAborted();
    if (samples >= SAMPLES_MAX) break;
    const read = await tablesOf(studio).readOne(run);
    if (!read.table) continue;
    runs.push(read);
    samples += read.table.ids.length;
  }
  return { runs, wrong };
}

function reviewedRun({ item, found, table }: WholeRun, score: string | undefined): readonly ReviewedRun[] {
  const has = score === undefined || [...table.figures.keys()].some((figure) => figure === score);
  if (!has) return [];
  return [
    {
      run: item.run,
      eval: item.facts?.eval ?? table.facts.eval,
      target: item.facts?.target ?? table.facts.model,
      table,
      told: toldFigure([table], score),
      verdicts: (found.inForms.marks?.verdicts ?? []).map(toldView),
    },
  ];
}

/** In words, with what to do about it; undefined when something can be said of all of them. */
function whyNotWritten(studio: Studio, runs: readonly WholeRun[]): string | undefined {
  try {
    resultsToWrite(studio);
    const unpublished = runs.find(({ found }) => !isPublished(found));
    if (unpublished) mustBePublished(unpublished.found);
    return undefined;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return `${error.message} ${error.hint}`;
  }
}
