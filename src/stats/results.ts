/** The results part of a log, computed from the scores of its samples. */
import type { Json } from '../base/index.ts';
import {
  type EvalSampleReductions,
  type EvalScore,
  evalScores,
  type KeyedScorer,
  type ScorerSpec,
  type ScoreView,
} from './eval-score.ts';
import {
  DEFAULT_METRICS,
  logName,
  type MetricPlan,
  type MetricSpec,
  readMetricPlan,
  shortName,
} from './metric-spec.ts';
import { metadataKeysOf, type ScoredSample } from './metrics.ts';
import { type Reducer, readReducer } from './reducers.ts';
import { type SampleScores, type ScoreEntry, ScoreTable } from './score-table.ts';

export interface ResultsInput {
  readonly scorers: readonly ScorerSpec[];
  /** The eval's own metrics: they take the place of every scorer's. */
  readonly metrics?: Json;
  /** Names of reducers. Absent: mean, which the log then does not name. Empty: no reduction at all. */
  readonly reducers?: readonly string[];
  readonly totalSamples: number;
  readonly completedSamples: number;
  /**
   * Scores that are records have one result for each key, also where the metrics name no keys. Without it such a record counts
   * as 0, which is what Inspect makes of it: its own logs are counted so.
   */
  readonly countsRecords?: boolean;
}

export interface ComputeResultsInput extends ResultsInput {
  readonly samples: Iterable<SampleScores> | AsyncIterable<SampleScores>;
}

export interface EvalResults {
  readonly total_samples: number;
  readonly completed_samples: number;
  readonly scores: readonly EvalScore[];
}

export interface ComputedResults {
  readonly results: EvalResults;
  readonly reductions: readonly EvalSampleReductions[];
  /** Sentences about what could not be computed or had to be guessed. Never empty-handed: such values are NaN. */
  readonly warnings: readonly string[];
}

/** Reads the samples once: see `ResultsCollector`. */
export async function computeResults({ samples, ...input }: ComputeResultsInput): Promise<ComputedResults> {
  const collector = new ResultsCollector(input);
  for await (const sample of samples) collector.add(sample);
  return collector.finish();
}

/**
 * Takes samples as they go by, keeping only their scores and the metadata that metrics look at, and computes every metric
 * of every scorer. It never throws over what a scorer gave: what cannot be computed is NaN, with a warning.
 */
export class ResultsCollector {
  readonly #input: ResultsInput;
  readonly #override: MetricPlan | undefined;
  readonly #planned: readonly Omit<KeyedScorer, 'key'>[];
  readonly #table: ScoreTable;

  constructor(input: ResultsInput) {
    const { metrics, scorers } = input;
    const override = metrics === undefined || metrics === null ? undefined : readMetricPlan(metrics);
    this.#input = input;
    this.#override = override;
    this.#planned = scorers.map((spec) => ({ spec, plan: override ?? planOf(spec) }));
    const plans = [...this.#planned.map(({ plan }) => plan), override ?? DEFAULT_METRICS];
    this.#table = new ScoreTable(metadataKeysOf(plans.flatMap(specsOf)));
  }

  add(sample: SampleScores): void {
    this.#table.add(sample);
  }

  finish(): ComputedResults {
    const { reducers, countsRecords = false, totalSamples, completedSamples } = this.#input;
    const warnings = new Set<string>();
    const scores: EvalScore[] = [];
    const reductions: EvalSampleReductions[] = [];
    for (const scorer of withKeys(this.#planned, this.#table.keys(), this.#override)) {
      for (const view of viewsOf(scorer.key, this.#table.entries(scorer.key), reducers, warnings)) {
        if (view.reductions !== undefined) reductions.push(view.reductions);
        scores.push(...evalScores({ ...scorer, countsRecords }, view, warnings));
      }
    }
    const results = { total_samples: totalSamples, completed_samples: completedSamples, scores };
    return { results, reductions, warnings: [...warnings] };
  }
}

/** The keys under which scorers' scores are stored: the short name, then name1, name2… for repeats. */
export function scorerKeys(names: readonly string[]): string[] {
  const keys: string[] = [];
  for (const name of names) {
    const base = shortName(name);
    let key = base;
    for (let count = 1; keys.includes(key); count++) key = `${base}${count}`;
    keys.push(key);
  }
  return keys;
}

/** The scorers with their keys, then one for each score that no scorer claims (in order of appearance). */
function withKeys(
  planned: readonly Omit<KeyedScorer, 'key'>[],
  seen: Iterable<string>,
  override: MetricPlan | undefined,
): KeyedScorer[] {
  const keys = scorerKeys(planned.map(({ spec }) => spec.name));
  const result = planned.map((scorer, index) => ({ ...scorer, key: keys[index] ?? scorer.spec.name }));
  for (const key of seen) {
    if (!keys.includes(key)) result.push({ key, spec: { name: key }, plan: override ?? DEFAULT_METRICS });
  }
  return result;
}

const NO_HISTORY: readonly never[] = Object.freeze([]);

function viewsOf(
  scorer: string,
  entries: readonly ScoreEntry[],
  names: readonly string[] | undefined,
  warnings: Set<string>,
): ScoreView[] {
  if (names?.length === 0)
    return [{ reducer: undefined, samples: unreduced(entries), reductions: undefined }];
  const views: ScoreView[] = [];
  for (const name of names ?? ['mean']) {
    const reducer = readReducer(logName(name));
    if (reducer === undefined) {
      warnings.add(`There is no reducer "${name}": its results are left out.`);
      continue;
    }
    views.push(reducedView({ scorer, entries, reducer, isNamed: names !== undefined, warnings }));
  }
  return views;
}

function unreduced(entries: readonly ScoreEntry[]): ScoredSample[] {
  return entries.flatMap(({ id, metadata, scores }) =>
    scores.map(({ value }) => ({ sampleId: id, value, metadata })),
  );
}

interface ReducedViewInput {
  readonly scorer: string;
  readonly entries: readonly ScoreEntry[];
  readonly reducer: Reducer;
  readonly isNamed: boolean;
  readonly warnings: Set<string>;
}

function reducedView({ scorer, entries, reducer, isNamed, warnings }: ReducedViewInput): ScoreView {
  const samples: ScoredSample[] = [];
  const reduced: EvalSampleReductions['samples'][number][] = [];
  for (const { id, metadata, scores } of entries) {
    const { score, problem } = reducer.reduce(scores);
    if (problem !== undefined) {
      warnings.add(`${scorer}: sample ${id} cannot be reduced by ${reducer.name}: ${problem}.`);
    }
    samples.push({ sampleId: id, value: score.value, metadata });
    reduced.push({ ...score, history: NO_HISTORY, sample_id: id });
  }
  const name = isNamed ? { reducer: reducer.name } : {};
  return { reducer: name.reducer, samples, reductions: { scorer, ...name, samples: reduced } };
}

function planOf(spec: ScorerSpec): MetricPlan {
  if (spec.metrics === undefined || spec.metrics === null) return DEFAULT_METRICS;
  return readMetricPlan(spec.metrics);
}

function specsOf(plan: MetricPlan): readonly MetricSpec[] {
  return [...plan.simple, ...plan.byKey.flatMap((byKey) => [...byKey.values()].flat())];
}
