import { definedOf, type Json, type SampleId } from '../base/index.ts';
import { epochOutcome, figureNames, type ToldFigure, toldFigure } from '../compare/index.ts';
import type { RunMarks } from '../results/index.ts';
import { numberOfScore } from '../stats/index.ts';
import type { AnyJson, Note, Outcome, SampleEpoch, SampleItem } from './api.ts';
import type { Breath } from './breath.ts';
import { toldView } from './note-view.ts';
import type { SampleRows } from './sample-rows.ts';

/** The samples of a run as its table shows them: one item a sample, its epochs folded. */
export interface SampleItems {
  readonly items: readonly SampleItem[];
  readonly told: ToldFigure;
  /** Names of scores in the order of the scorers. */
  readonly scores: readonly string[];
  readonly metadataKeys: readonly string[];
}

/** Made once for each list and score, as long as somebody has the list. */
const known = new WeakMap<SampleRows, Map<string, SampleItems>>();
/** A page shows the run by one score at a time. */
const SCORES_MAX = 2;
const ITEMS_A_BREATH = 64;

export async function sampleItems(
  rows: SampleRows,
  score: string | undefined,
  breath: Breath,
): Promise<SampleItems> {
  const ofRows = known.get(rows) ?? new Map<string, SampleItems>();
  known.set(rows, ofRows);
  const key = score ?? '';
  const items = ofRows.get(key) ?? (await makeItems(rows, score, breath));
  ofRows.delete(key);
  ofRows.set(key, items);
  for (const oldest of ofRows.keys()) if (ofRows.size > SCORES_MAX) ofRows.delete(oldest);
  return items;
}

async function makeItems(rows: SampleRows, score: string | undefined, breath: Breath): Promise<SampleItems> {
  const { table, more } = rows;
  const told = toldFigure([table], score);
  const scores = figureNames([table]);
  const byId = new Map<string, { readonly id: SampleId; readonly places: number[] }>();
  for (const [place, id] of table.ids.entries()) {
    // 1 and "1" are one sample.
    const item = byId.get(String(id));
    if (item) item.places.push(place);
    else byId.set(String(id), { id, places: [place] });
  }
  const keys = new Set<string>();
  const items: SampleItem[] = [];
  for (const { id, places } of byId.values()) {
    const [first = 0] = places;
    const metadata = { ...more[first]?.metadata };
    for (const key of Object.keys(metadata)) keys.add(key);
    const epochs = places.map((place) => epochAt(rows, { told, scores }, place));
    epochs.sort((a, b) => a.epoch - b.epoch);
    items.push({
      id,
      number: items.length + 1,
      input: table.inputs[first] ?? '',
      target: more[first]?.target ?? '',
      metadata,
      epochs,
      ...definedOf({ passed: passedOf(epochs, told) }),
    });
    if (items.length % ITEMS_A_BREATH === 0) await breath.take();
  }
  return { items, told, scores, metadataKeys: [...keys] };
}

/** One sample at one epoch. */
export function epochAt(
  rows: SampleRows,
  { told, scores }: Pick<SampleItems, 'told' | 'scores'>,
  place: number,
): SampleEpoch {
  const { table, more } = rows;
  const { limit, retries, messages, made } = more[place] ?? {};
  const seconds = table.seconds[place] ?? Number.NaN;
  return {
    epoch: table.epochs[place] ?? 1,
    outcome: epochOutcome(table, told, place),
    scores: scoresAt(rows, scores, place),
    usd: orUndefined(table.usd[place]) ?? null,
    tokens: table.tokens[place] ?? 0,
    ...definedOf({
      error: table.states[place] === 'errored' ? table.errors.get(place) : undefined,
      limit,
      retries,
      turns: orUndefined(table.turns[place]),
      messages,
      durationMs: orUndefined(seconds * 1_000),
      made,
    }),
  };
}

function scoresAt(
  { table, more }: SampleRows,
  names: readonly string[],
  place: number,
): SampleEpoch['scores'] {
  const scores: SampleEpoch['scores'] = {};
  const told = new Set<string>();
  for (const figure of names) {
    const value = table.figures.get(figure)?.[place];
    if (value === undefined) continue;
    const scorer = figure.replace(/[/[].*$/s, '');
    // An answer is told once, with the first figure of its scorer.
    const answer = told.has(scorer)
      ? undefined
      : (more[place]?.answers[figure] ?? more[place]?.answers[scorer]);
    told.add(scorer);
    scores[figure] = { value: plainValue(value), ...definedOf({ number: scoreNumber(value), answer }) };
  }
  return scores;
}

/** Undefined for what is no number: nothing is guessed. */
export function scoreNumber(value: Json): number | undefined {
  const number = numberOfScore(value);
  return number === undefined || !Number.isFinite(number) ? undefined : number;
}

function plainValue(value: Json): AnyJson {
  if (typeof value === 'bigint') return value.toString();
  return typeof value === 'object' ? null : value;
}

function orUndefined(value: number | undefined): number | undefined {
  return value === undefined || Number.isNaN(value) ? undefined : value;
}

const JUDGED: ReadonlySet<Outcome> = new Set(['pass', 'partial', 'fail']);

function passedOf(epochs: readonly SampleEpoch[], { isGrade }: ToldFigure): number | undefined {
  if (!isGrade || !epochs.some(({ outcome }) => JUDGED.has(outcome))) return undefined;
  return epochs.filter(({ outcome }) => outcome === 'pass').length;
}

/** What people said of samples, by the text of their id. */
export function verdictsBySample(marks: RunMarks | undefined): ReadonlyMap<string, readonly Note[]> {
  const bySample = new Map<string, Note[]>();
  for (const one of marks?.verdicts ?? []) {
    const key = String(one.anchor.sample);
    bySample.set(key, [...(bySample.get(key) ?? []), toldView(one)]);
  }
  return bySample;
}
