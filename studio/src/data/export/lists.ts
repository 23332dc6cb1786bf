import {
  type AnswerOf,
  type QueryOf,
  ROUTES,
  type RouteName,
  type RunItem,
  type SampleItem,
  type WrittenRows,
  type WrittenRun,
} from '../../../../src/server/api.ts';
import {
  commandForRuns,
  commandForSamples,
  compileRunQuery,
  compileSampleQuery,
  sortRuns,
  sortSamples,
} from '../../../../src/views/index.ts';
import { parseAnswer } from '../parse-answer.ts';
import { leftOut } from './export-problems.ts';
import type { AskedRun, Written } from './written.ts';

/** Lists are written whole; they are filtered, sorted and paged here by the very functions of the server. */

const runRows = ROUTES.runs.answer.shape.runs;
const sampleRows = ROUTES.samples.answer.shape.samples;

export async function allRuns(written: Written): Promise<readonly RunItem[]> {
  const { runs } = await written.manifest();
  const pages = await Promise.all(runs.rows.map((place) => written.documents.read(place, runRows)));
  return pages.flat();
}

export async function runsPage(written: Written, query: QueryOf<'runs'>): Promise<AnswerOf<'runs'>> {
  const { runs } = await written.manifest();
  const page = parseAnswer('runs', await written.answer(runs.page));
  const items = await allRuns(written);
  const { q, sort, offset, limit } = query;
  const { matches, wrong } = compileRunQuery(q, { nowMs: Date.now() });
  const chosen = sortRuns(items.filter(matches), sort);
  return {
    ...page,
    runs: chosen.slice(offset, offset + limit),
    offset,
    total: chosen.length,
    all: items.filter(({ removed }) => removed !== true).length,
    ...(wrong && { wrong }),
    command: commandForRuns({ q, sort }),
  };
}

export async function samplesPage(
  written: Written,
  key: AskedRun,
  query: QueryOf<'samples'>,
): Promise<AnswerOf<'samples'>> {
  const run = await written.run(key);
  const { page, items } = await samplesOf(written, run, query.score);
  const { chosen, wrong } = chooseSamples(items, query, page.score);
  const { offset, limit } = query;
  return {
    ...page,
    samples: chosen.slice(offset, offset + limit),
    offset,
    total: chosen.length,
    all: items.length,
    ...(wrong && { wrong }),
    command: commandForSamples(page.command, query),
  };
}

export async function sampleOrder(
  written: Written,
  key: AskedRun,
  query: QueryOf<'sampleOrder'>,
): Promise<AnswerOf<'sampleOrder'>> {
  const { page, items } = await samplesOf(written, await written.run(key), query.score);
  const { chosen } = chooseSamples(items, query, page.score);
  return {
    keys: chosen.flatMap(({ id, epochs }) =>
      epochs.map(({ epoch, outcome }): AnswerOf<'sampleOrder'>['keys'][number] => [id, epoch, outcome]),
    ),
  };
}

interface SamplesAsked {
  readonly q: string;
  readonly sort: string;
}

function chooseSamples(items: readonly SampleItem[], { q, sort }: SamplesAsked, score: string | undefined) {
  const { matches, wrong } = compileSampleQuery(q, { score });
  return { chosen: sortSamples(items.filter(matches), sort, { score }), wrong };
}

export async function samplesOf(written: Written, { samples }: WrittenRun, score: string | undefined) {
  const rows = rowsFor(samples, score);
  const page = parseAnswer('samples', await written.answer(rows.page));
  const pages = await Promise.all(rows.rows.map((place) => written.documents.read(place, sampleRows)));
  return { page, items: pages.flat() };
}

/** Of the score that is asked for; those that were not written are told as the first. */
export function rowsFor(
  all: readonly (readonly [string | null, WrittenRows])[],
  score: string | undefined,
): WrittenRows {
  const found = all.find(([name]) => name === (score ?? null)) ?? all[0];
  if (!found) throw leftOut('samples of this run', 'Its log could not be read when the export was written.');
  return found[1];
}

/** What comes after the question mark, as the server would see it: texts, without what is absent or empty. */
export function queryOf<Name extends RouteName>(name: Name, asked: object): QueryOf<Name> {
  const given = Object.entries(asked).filter(([, value]) => value !== undefined && value !== '');
  const texts = Object.fromEntries(given.map(([key, value]) => [key, String(value)]));
  return ROUTES[name].query.parse(texts) as QueryOf<Name>;
}
