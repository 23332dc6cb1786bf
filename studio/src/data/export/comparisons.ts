import {
  type AnswerOf,
  type ComparedSample,
  type QueryOf,
  ROUTES,
  writtenComparisons,
} from '../../../../src/server/api.ts';
import {
  chooseCompared,
  compileRunQuery,
  joinCompared,
  joinCompareViews,
  newestOfOneEval,
} from '../../../../src/views/index.ts';
import { parseAnswer } from '../parse-answer.ts';
import { leftOut } from './export-problems.ts';
import { allRuns, rowsFor } from './lists.ts';
import type { Written } from './written.ts';

const comparedRows = ROUTES.comparedSamples.answer.shape.samples;

interface Asked {
  readonly runs: readonly string[];
  readonly score?: string | undefined;
}

/** The comparison itself, if it was written; else put together of those of the first run with each of the others. */
export async function compareView(written: Written, { runs, score }: Asked): Promise<AnswerOf<'compare'>> {
  const among = await written.common();
  const find = (asked: readonly string[]) =>
    written.find('compare', { among, params: [], query: { runs: asked, score } });
  const whole = await find(runs);
  if (whole) return whole;
  const found = await Promise.all(pairsOf(runs).map(find));
  const joined = found.includes(undefined)
    ? undefined
    : joinCompareViews(found.filter((one) => one !== undefined));
  if (!joined || runs.length < 3) throw noComparison(runs);
  return joined;
}

export async function comparedPage(
  written: Written,
  query: QueryOf<'comparedSamples'>,
): Promise<AnswerOf<'comparedSamples'>> {
  const all =
    (await rowsOf(written, query)) ??
    joinCompared(
      await Promise.all(
        pairsOf(query.runs).map(async (runs) => {
          const rows = await rowsOf(written, { runs, score: query.score });
          if (!rows) throw noComparison(query.runs);
          return rows;
        }),
      ),
    );
  const { chosen, wrong } = chooseCompared(all, query);
  const { offset, limit } = query;
  return {
    samples: chosen.slice(offset, offset + limit),
    offset,
    total: chosen.length,
    all: all.length,
    ...(wrong && { wrong }),
  };
}

function pairsOf([base = '', ...others]: readonly string[]): readonly string[][] {
  return others.map((other) => [base, other]);
}

async function rowsOf(
  written: Written,
  { runs, score }: Asked,
): Promise<readonly ComparedSample[] | undefined> {
  const { comparisons } = await written.manifest();
  const all = await written.documents.read(comparisons, writtenComparisons);
  const found = all.find((one) => one.runs.join() === runs.join());
  if (!found) return undefined;
  const rows = rowsFor(found.samples, score);
  parseAnswer('comparedSamples', await written.answer(rows.page));
  return (await Promise.all(rows.rows.map((place) => written.documents.read(place, comparedRows)))).flat();
}

function noComparison(runs: readonly string[]) {
  return leftOut(
    `comparison of ${runs.join(' with ')}`,
    `Write one that has it: holdfast studio export --out <folder> ${runs.join(' ')}`,
  );
}

/** Samples × runs: columns of the matrix of their eval, which is written whole. */
export async function matrixPage(written: Written, query: QueryOf<'matrix'>): Promise<AnswerOf<'matrix'>> {
  const items = await allRuns(written);
  const { matches } = compileRunQuery(query.q, { nowMs: Date.now() });
  const runs = query.runs.length > 0 ? query.runs : newestOfOneEval(items.filter(matches), query.limit);
  const name = items.find(({ run }) => run === runs[0])?.facts?.eval;
  const asked = { among: await written.common(), params: [name ?? ''], query: { score: query.score } };
  const whole = name === undefined ? undefined : await written.find('matrix', asked);
  const columns = runs.map((run) => whole?.runs.findIndex((item) => item.run === run) ?? -1);
  if (!whole || columns.includes(-1))
    throw leftOut('matrix of these runs', 'It has one for the newest fifty runs of each eval.');
  return columnsOf(whole, columns);
}

function columnsOf(whole: AnswerOf<'matrix'>, columns: readonly number[]): AnswerOf<'matrix'> {
  const width = whole.runs.length;
  const pick = (letters: string, row: number) =>
    columns.map((column) => letters[row * width + column] ?? '').join('');
  const rows = whole.samples.map((_, row) => row).filter((row) => /[^.]/.test(pick(whole.cells, row)));
  return {
    ...whole,
    runs: columns.flatMap((column) => whole.runs[column] ?? []),
    samples: rows.flatMap((row) => whole.samples[row] ?? []),
    cells: rows.map((row) => pick(whole.cells, row)).join(''),
    heat: whole.heat === '' ? '' : rows.map((row) => pick(whole.heat, row)).join(''),
  };
}
