import type { Json, SampleId } from '../base/index.ts';
import { unknownScorer } from './compare-errors.ts';
import { byScorer, isFigureOf, numberOf } from './figures.ts';
import type { RunTable } from './run-table.ts';

/**
 * What became of a sample in one run, all epochs together. `partial`: neither passed nor failed, or epochs that do not agree. `number`: a
 * score that is no pass or fail.
 */
export type CellOutcome =
  | 'pass'
  | 'partial'
  | 'fail'
  | 'number'
  | 'error'
  | 'unscored'
  | 'running'
  | 'interrupted';

export interface SampleCell {
  readonly id: SampleId;
  readonly outcome: CellOutcome;
  /** The mean over the epochs that have one; NaN without any. */
  readonly number: number;
  /** How many epochs passed; of a score that is no pass or fail nobody can tell, and it is undefined. */
  readonly passed: number | undefined;
  readonly epochs: number;
  /** Of an epoch, on average; NaN where it is not known. */
  readonly usd: number;
  readonly seconds: number;
  readonly turns: number;
  /** Places in the table. */
  readonly places: readonly number[];
}

/** A figure to be told: its name, and whether its values are grades from 0 to 1, of which 1 is a pass and 0 a fail. */
export interface ToldFigure {
  readonly figure: string | undefined;
  readonly isGrade: boolean;
}

/** The figure that is told of several runs together: the one that is asked for, else the first. Refused when no run has it. */
export function toldFigure(tables: readonly RunTable[], asked: string | undefined): ToldFigure {
  const names = figureNames(tables);
  const figure = asked === undefined ? names[0] : names.find((name) => isFigureOf(name, asked));
  if (asked !== undefined && figure === undefined) throw unknownScorer(asked, names);
  return { figure, isGrade: tables.every((table) => hasOnlyGrades(table, figure)) };
}

/** The names of all figures, in the order of the scorers of the first run that names any. */
export function figureNames(tables: readonly RunTable[]): readonly string[] {
  const names = new Set(tables.flatMap(({ figures }) => [...figures.keys()]));
  const order = tables.find(({ scorers }) => scorers.length > 0)?.scorers ?? [];
  return [...names].sort(byScorer(order));
}

function hasOnlyGrades({ figures }: RunTable, figure: string | undefined): boolean {
  const values = figure === undefined ? undefined : figures.get(figure);
  return (values ?? []).every((value) => {
    const number = numberOf(value);
    return number === undefined || (number >= 0 && number <= 1);
  });
}

/** One cell a sample, by the text of its id: 1 and "1" are one sample. */
export function sampleCells(table: RunTable, told: ToldFigure): ReadonlyMap<string, SampleCell> {
  const places = new Map<string, number[]>();
  for (const [place, id] of table.ids.entries()) {
    const key = String(id);
    const known = places.get(key);
    if (known) known.push(place);
    else places.set(key, [place]);
  }
  const values = told.figure === undefined ? undefined : table.figures.get(told.figure);
  const cells = new Map<string, SampleCell>();
  for (const [key, at] of places) cells.set(key, cellOf(table, values, { at, isGrade: told.isGrade }));
  return cells;
}

/** The cell of one sample; undefined when the run has not got it. */
export function sampleCell(table: RunTable, told: ToldFigure, sample: string): SampleCell | undefined {
  const at = placesOf(table, sample);
  const values = told.figure === undefined ? undefined : table.figures.get(told.figure);
  return at.length === 0 ? undefined : cellOf(table, values, { at, isGrade: told.isGrade });
}

/** Where in a table the epochs of a sample are. */
export function placesOf({ ids }: RunTable, sample: string): readonly number[] {
  return ids.flatMap((id, place) => (String(id) === sample ? [place] : []));
}

export type Values = readonly (Json | undefined)[] | undefined;

interface CellGiven {
  readonly at: readonly number[];
  readonly isGrade: boolean;
}

function cellOf(table: RunTable, values: Values, { at, isGrade }: CellGiven): SampleCell {
  let outcome: CellOutcome | undefined;
  let [sum, scored, passed] = [0, 0, 0];
  for (const place of at) {
    const number = numberAt(table, values, place);
    outcome = foldOutcomes(outcome, outcomeAt(table, place, { number, isGrade }));
    if (number === undefined) continue;
    sum += number;
    scored++;
    if (number === 1) passed++;
  }
  return {
    id: table.ids[at[0] ?? 0] ?? '',
    outcome: outcome ?? 'unscored',
    number: scored === 0 ? Number.NaN : sum / scored,
    passed: scored > 0 && isGrade ? passed : undefined,
    epochs: at.length,
    usd: meanAt(table.usd, at),
    seconds: meanAt(table.seconds, at),
    turns: meanAt(table.turns, at),
    places: at,
  };
}

/** What became of it at one epoch. */
export function epochOutcome(table: RunTable, told: ToldFigure, place: number): CellOutcome {
  const number = numberAt(
    table,
    told.figure === undefined ? undefined : table.figures.get(told.figure),
    place,
  );
  return outcomeAt(table, place, { number, isGrade: told.isGrade });
}

/** A sample that failed may have a score, but it is none of those that count. */
export function numberAt(table: RunTable, values: Values, place: number): number | undefined {
  return table.states[place] === 'completed' ? numberOf(values?.[place]) : undefined;
}

/** What a stopped run did not finish is not under way any more: nobody judged it. */
export function outcomeAt(
  { states, facts }: RunTable,
  place: number,
  { number, isGrade }: { readonly number: number | undefined; readonly isGrade: boolean },
): CellOutcome {
  const state = states[place];
  if (state === 'errored') return 'error';
  if (state === 'unfinished') {
    if (facts.isInterrupted === true) return 'interrupted';
    return facts.status === 'started' ? 'running' : 'unscored';
  }
  if (number === undefined) return 'unscored';
  if (!isGrade) return 'number';
  return number === 1 ? 'pass' : number === 0 ? 'fail' : 'partial';
}

const WORST_FIRST: readonly CellOutcome[] = ['fail', 'error', 'number', 'running', 'interrupted', 'unscored'];

/** What both epochs say, else `partial` when one of them passed, else the worse: so `fail` is a sample that never passed. */
export function foldOutcomes(one: CellOutcome | undefined, other: CellOutcome): CellOutcome {
  if (one === undefined || one === other) return other;
  if (isPassed(one) || isPassed(other)) return 'partial';
  return WORST_FIRST.indexOf(one) < WORST_FIRST.indexOf(other) ? one : other;
}

function isPassed(outcome: CellOutcome): boolean {
  return outcome === 'pass' || outcome === 'partial';
}

function meanAt(values: readonly number[], at: readonly number[]): number {
  let sum = 0;
  for (const place of at) sum += values[place] ?? Number.NaN;
  return sum / at.length;
}
