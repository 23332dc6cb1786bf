import { isJsonObject, type Json } from '../base/index.ts';
import type { Score } from '../log/index.ts';
import { numberOfScore } from '../stats/index.ts';
import type { Raw } from './column.ts';
import type { SampleItem } from './exported-run.ts';
import { column, type FixedColumn } from './own-columns.ts';
import { KEY_COLUMNS } from './sample-table.ts';

/** One value that a scorer gave: a score with parts (a record) has one for each. */
export interface ScoreItem extends SampleItem {
  readonly scorer: string;
  readonly part: string | undefined;
  readonly value: Json;
  readonly score: Score;
}

/** One row a sample, epoch, scorer and part. */
export const SCORE_COLUMNS: readonly FixedColumn<ScoreItem>[] = [
  ...KEY_COLUMNS,
  column('scorer', 'text', ({ scorer }) => scorer),
  column('part', 'text', ({ part }) => part),
  column('value', 'text', ({ value }) => value),
  column('number', 'number', ({ value }) => numberOfScore(value)),
  column('answer', 'text', ({ score }) => score.answer),
  column('explanation', 'text', ({ score }) => score.explanation),
  column('metadata', 'text', ({ score }) => score.metadata),
];

export function scoresOf(item: SampleItem): Iterable<ScoreItem> {
  return partsOf(item, item.fields?.scores ?? item.summary.scores);
}

/**
 * The same as columns of a sample: `score_<scorer>`, `score_<scorer>_<part>`. They are those of the list of samples, from which the
 * columns and their kinds were found.
 */
export function* scoreCells(item: SampleItem): Iterable<readonly [readonly string[], Raw]> {
  for (const { scorer, part, value } of partsOf(item, item.summary.scores))
    yield [part === undefined ? ['score', scorer] : ['score', scorer, part], value];
}

function* partsOf(item: SampleItem, scores: Readonly<Record<string, Score>> = {}): Iterable<ScoreItem> {
  for (const [scorer, score] of Object.entries(scores)) {
    if (!isJsonObject(score.value)) yield { ...item, scorer, part: undefined, value: score.value, score };
    else
      for (const [part, value = null] of Object.entries(score.value))
        yield { ...item, scorer, part, value, score };
  }
}
