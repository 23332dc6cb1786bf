import { definedOf } from '../../base/index.ts';
import {
  epochOutcome,
  foldOutcomes,
  type OutcomeInRun,
  type RunTable,
  toldFigure,
} from '../../compare/index.ts';
import { CELL_LETTERS, type RunItem, type SampleStrips } from '../api.ts';
import { Breath } from '../breath.ts';
import type { Call } from '../call.ts';
import { tablesOf } from '../run-tables.ts';
import { readSampleRows } from '../sample-rows.ts';
import type { Studio } from '../studio.ts';

/** So many results are told of a sample, the newest. */
const RESULTS_MAX = 12;
const PLACES_A_BREATH = 2_048;

/**
 * What became of some samples of a run in the runs before it, of the same eval on the same target, and in itself. Each result is told
 * as the page of its own run tells it, so that the last one is what the row beside it says.
 */
export async function sampleStrips({
  studio,
  params,
  query,
  signal,
  sameAs,
}: Call<'sampleStrips'>): Promise<SampleStrips> {
  await using open = await studio.open(params.run ?? '');
  const { item } = open.found;
  const before = runsBefore(studio, item);
  if (open.version !== undefined) sameAs(open.version, studio.index.version);
  const { table: own } = await readSampleRows(studio, open, signal);
  const read = await tablesOf(studio).read(before, signal);
  // What cannot be read says nothing of its samples.
  const earlier = read.filter((run) => run.table !== undefined);
  const tables = [...earlier.map(({ table }) => table), own];
  const { figure } = toldFigure([own], query.score);
  const breath = new Breath(studio.clock, signal);
  const columns: ReadonlyMap<string, OutcomeInRun>[] = [];
  const wanted = new Set(query.samples);
  for (const table of tables) columns.push(await outcomesOf(table, { figure, wanted, breath }));
  return {
    runs: [...earlier.map((run) => run.item), item].map((run, at) => ({
      run: run.run,
      start: tables[at]?.facts.start ?? run.facts?.start ?? '',
      ...definedOf({ commit: tables[at]?.identity.commit }),
    })),
    strips: query.samples.map((sample) =>
      columns.map((column) => CELL_LETTERS[column.get(sample) ?? 'missing']).join(''),
    ),
  };
}

/** Oldest first. The list is newest first, and what is under way is no result yet. */
function runsBefore(studio: Studio, { run, facts }: RunItem): readonly string[] {
  if (!facts) return [];
  const items = studio.index.items();
  const at = items.findIndex((item) => item.run === run);
  const found: string[] = [];
  for (let index = at + 1; at >= 0 && index < items.length && found.length < RESULTS_MAX - 1; index++) {
    const other = items[index];
    const isSame =
      other?.facts?.eval === facts.eval &&
      other.facts.target === facts.target &&
      other.facts.status !== 'started' &&
      other.removed !== true;
    if (other && isSame) found.push(other.run);
  }
  return found.reverse();
}

interface WantedOutcomes {
  readonly figure: string | undefined;
  readonly wanted: ReadonlySet<string>;
  readonly breath: Breath;
}

/** In one pass over the table, whatever is wanted of it: epochs of a sample need not stand together. */
async function outcomesOf(
  table: RunTable,
  { figure, wanted, breath }: WantedOutcomes,
): Promise<ReadonlyMap<string, OutcomeInRun>> {
  const outcomes = new Map<string, Exclude<OutcomeInRun, 'missing'>>();
  const hasFigure = figure !== undefined && table.figures.has(figure);
  const { isGrade } = toldFigure([table], hasFigure ? figure : undefined);
  const told = { figure, isGrade };
  for (const [place, id] of table.ids.entries()) {
    if (place % PLACES_A_BREATH === 0) await breath.take();
    const key = String(id);
    if (wanted.has(key)) outcomes.set(key, foldOutcomes(outcomes.get(key), epochOutcome(table, told, place)));
  }
  return outcomes;
}
