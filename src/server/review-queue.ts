import { bySampleOrder, definedOf } from '../base/index.ts';
import { epochOutcome, type RunTable, type ToldFigure } from '../compare/index.ts';
import { cohensKappa } from '../stats/index.ts';
import type { Note, Outcome, ReviewItem, ReviewQueue } from './api.ts';

/** A run whose samples are to be judged, with what people said of them. */
export interface ReviewedRun {
  readonly run: string;
  readonly eval: string;
  readonly target: string;
  readonly table: RunTable;
  readonly told: ToldFigure;
  readonly verdicts: readonly Note[];
}

/** All samples of some runs, at each epoch, in the order in which they are to be judged. */
export function reviewItems(runs: readonly ReviewedRun[]): readonly ReviewItem[] {
  return runs.flatMap(itemsOf).sort((a, b) => rankOf(a) - rankOf(b));
}

function itemsOf({ table, told, verdicts, ...about }: ReviewedRun): readonly ReviewItem[] {
  const ofSample = Map.groupBy(
    verdicts.filter(({ scorer }) => scorer === undefined || scorer === told.figure),
    ({ sample, epoch }) => `${sample} ${epoch}`,
  );
  const items = table.ids.map((sample, place) => {
    const epoch = table.epochs[place] ?? 1;
    return {
      ...about,
      sample,
      epoch,
      outcome: epochOutcome(table, told, place),
      ...definedOf({ scorer: told.figure }),
      input: table.inputs[place] ?? '',
      verdicts: ofSample.get(`${sample} ${epoch}`) ?? [],
    };
  });
  return items.sort((a, b) =>
    bySampleOrder({ id: a.sample, epoch: a.epoch }, { id: b.sample, epoch: b.epoch }),
  );
}

/** What nobody judged comes first; of it what the scorer did not let pass, then what it did, then what it did not judge either. */
function rankOf({ outcome, verdicts }: ReviewItem): number {
  return (verdicts.length > 0 ? 10 : 0) + (RANKS[outcome] ?? 3);
}

const RANKS: Partial<Readonly<Record<Outcome, number>>> = { fail: 0, partial: 0, pass: 1, number: 1 };

/** What people say beside what the scorer says. Of each person the last word on a sample counts. */
export function agreementOf(items: readonly ReviewItem[]): ReviewQueue['agreement'] {
  const counts = { bothPass: 0, bothFail: 0, onlyScorerPasses: 0, onlyPeoplePass: 0, unsure: 0 };
  for (const { outcome, verdicts } of items)
    for (const { verdict } of lastWords(verdicts)) {
      if (verdict === 'unsure') counts.unsure++;
      else if (outcome === 'pass') counts[verdict === 'pass' ? 'bothPass' : 'onlyScorerPasses']++;
      else if (outcome === 'fail') counts[verdict === 'pass' ? 'onlyPeoplePass' : 'bothFail']++;
    }
  const { bothPass, onlyScorerPasses, onlyPeoplePass, bothFail } = counts;
  const kappa = cohensKappa([
    [bothPass, onlyScorerPasses],
    [onlyPeoplePass, bothFail],
  ]);
  return { ...counts, ...definedOf({ kappa }) };
}

function lastWords(verdicts: readonly Note[]): readonly Note[] {
  return [
    ...new Map(verdicts.toSorted((a, b) => (a.id < b.id ? -1 : 1)).map((one) => [one.by, one])).values(),
  ];
}
