/** The results part of a log, computed from the scores of its samples. */
import { isJsonObject, type Json, type JsonObject } from '../base/index.ts';
import {
  DEFAULT_METRICS,
  logName,
  type MetricPlan,
  type MetricSpec,
  readMetricPlan,
  shortName,
} from './metric-spec.ts';
import { computeMetric, type MetricOutcome, metadataKeysOf, type ScoredSample } from './metrics.ts';
import { type Reducer, readReducer } from './reducers.ts';
import { type SampleScores, type ScoreEntry, ScoreTable } from './score-table.ts';
import { isNaNValue, isUnscored, type SampleId, type ScoreLike } from './score-value.ts';

/** A scorer as the log's header names it. `metrics` as in the log; absent: accuracy and stderr. */
export interface ScorerSpec {
  readonly name: string;
  readonly options?: JsonObject;
  readonly metrics?: Json;
  readonly metadata?: JsonObject;
}

export interface ComputeResultsInput {
  readonly samples: Iterable<SampleScores> | AsyncIterable<SampleScores>;
  readonly scorers: readonly ScorerSpec[];
  /** The eval's own metrics: they take the place of every scorer's. */
  readonly metrics?: Json;
  /** Names of reducers. Absent: mean, which the log then does not name. Empty: no reduction at all. */
  readonly reducers?: readonly string[];
  readonly totalSamples: number;
  readonly completedSamples: number;
}

export interface EvalMetric {
  readonly name: string;
  readonly value: number;
  readonly group?: string;
  readonly params: JsonObject;
}

export interface EvalScore {
  readonly name: string;
  readonly scorer: string;
  readonly reducer?: string;
  readonly scored_samples: number;
  readonly unscored_samples: number;
  readonly params: JsonObject;
  readonly metrics: Readonly<Record<string, EvalMetric>>;
  readonly metadata?: JsonObject;
}

export interface EvalResults {
  readonly total_samples: number;
  readonly completed_samples: number;
  readonly scores: readonly EvalScore[];
}

export interface EvalSampleReductions {
  readonly scorer: string;
  readonly reducer?: string;
  readonly samples: readonly (ScoreLike & {
    readonly history: readonly never[];
    readonly sample_id: SampleId;
  })[];
}

export interface ComputedResults {
  readonly results: EvalResults;
  readonly reductions: readonly EvalSampleReductions[];
  /** Sentences about what could not be computed or had to be guessed. Never empty-handed: such values are NaN. */
  readonly warnings: readonly string[];
}

/**
 * Reads the samples once, keeping only their scores and the metadata that metrics look at, and computes every metric
 * of every scorer. It never throws over what a scorer gave: what cannot be computed is NaN, with a warning.
 */
export async function computeResults(input: ComputeResultsInput): Promise<ComputedResults> {
  const override =
    input.metrics === undefined || input.metrics === null ? undefined : readMetricPlan(input.metrics);
  const planned = input.scorers.map((spec) => ({ spec, plan: override ?? planOf(spec) }));
  const plans = [...planned.map(({ plan }) => plan), override ?? DEFAULT_METRICS];
  const table = new ScoreTable(metadataKeysOf(plans.flatMap(specsOf)));
  for await (const sample of input.samples) table.add(sample);

  const warnings = new Set<string>();
  const scores: EvalScore[] = [];
  const reductions: EvalSampleReductions[] = [];
  for (const scorer of withKeys(planned, table.keys(), override)) {
    const entries = table.entries(scorer.key);
    for (const view of viewsOf(scorer.key, entries, input.reducers, warnings)) {
      if (view.reductions !== undefined) reductions.push(view.reductions);
      scores.push(...evalScores(scorer, view, warnings));
    }
  }
  const results = { total_samples: input.totalSamples, completed_samples: input.completedSamples, scores };
  return { results, reductions, warnings: [...warnings] };
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

interface KeyedScorer {
  readonly key: string;
  readonly spec: ScorerSpec;
  readonly plan: MetricPlan;
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

/** The samples as metrics see them: after one reducer, or every epoch on its own. */
interface ScoreView {
  readonly reducer: string | undefined;
  readonly samples: readonly ScoredSample[];
  readonly reductions: EvalSampleReductions | undefined;
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

function evalScores(scorer: KeyedScorer, view: ScoreView, warnings: Set<string>): EvalScore[] {
  const scores: EvalScore[] = [];
  if (scorer.plan.hasWhole) {
    scores.push(
      evalScore({ scorer, view, warnings, name: scorer.key, specs: scorer.plan.simple, isKey: false }),
    );
  }
  for (const byKey of scorer.plan.byKey) {
    for (const [key, specs] of expandKeys(byKey, view.samples)) {
      const samples = samplesOfKey({ scorer: scorer.key, key, samples: view.samples, warnings });
      const keyView = { ...view, samples };
      scores.push(evalScore({ scorer, view: keyView, warnings, name: key, specs, isKey: true }));
    }
  }
  return scores;
}

interface EvalScoreInput {
  readonly scorer: KeyedScorer;
  readonly view: ScoreView;
  readonly warnings: Set<string>;
  readonly name: string;
  readonly specs: readonly MetricSpec[];
  /** Metrics of one key of a record are named `metric_key` where they give several numbers. */
  readonly isKey: boolean;
}

function evalScore({ scorer, view, warnings, name, specs, isKey }: EvalScoreInput): EvalScore {
  const scored = view.samples.filter((sample) => !isUnscored(sample.value));
  const metrics = new Map<string, EvalMetric>();
  for (const spec of specs) {
    const outcome = scored.length === 0 ? NOTHING_SCORED : computeMetric(spec, scored);
    if (outcome === undefined) {
      warnings.add(`${scorer.key}: the metric "${spec.name}" is not known here and is left out.`);
      continue;
    }
    for (const warning of outcome.warnings) warnings.add(`${scorer.key}: ${warning}.`);
    addMetric({ metrics, spec, outcome, isKey });
  }
  const metadata = scorer.spec.metadata;
  return {
    name,
    scorer: scorer.key,
    ...(view.reducer !== undefined && { reducer: view.reducer }),
    scored_samples: scored.length,
    unscored_samples: view.samples.length - scored.length,
    params: scorer.spec.options ?? {},
    metrics: Object.fromEntries(metrics),
    ...(metadata !== undefined && Object.keys(metadata).length > 0 && { metadata }),
  };
}

const NOTHING_SCORED: MetricOutcome = { value: Number.NaN, warnings: [] };

interface AddMetricInput {
  readonly metrics: Map<string, EvalMetric>;
  readonly spec: MetricSpec;
  readonly outcome: MetricOutcome;
  readonly isKey: boolean;
}

function addMetric({ metrics, spec, outcome, isKey }: AddMetricInput): void {
  const group = shortName(spec.name);
  const name = logName(spec.name);
  const params = spec.options;
  if (typeof outcome.value === 'number') {
    metrics.set(isKey ? name : uniqueKey(group, metrics), { name, value: outcome.value, params });
    return;
  }
  for (const [key, value] of outcome.value) {
    const metricKey = isKey ? `${name}_${key}` : uniqueKey(key, metrics);
    metrics.set(metricKey, { name: key, group, value, params });
  }
}

/** `key`, or when it is taken `key2`, `key3`…: one more than the greatest number in use. */
function uniqueKey(key: string, taken: ReadonlyMap<string, unknown>): string {
  if (!taken.has(key)) return key;
  let next = 2;
  for (const other of taken.keys()) {
    if (!other.startsWith(key)) continue;
    const number = Number(/^\d+/.exec(other.slice(key.length))?.[0] ?? 0);
    if (number >= next) next = number + 1;
  }
  return `${key}${next}`;
}

/** Globs stand for the keys of the first record; each key gets each metric once. */
function expandKeys(
  byKey: ReadonlyMap<string, readonly MetricSpec[]>,
  samples: readonly ScoredSample[],
): ReadonlyMap<string, readonly MetricSpec[]> {
  const first = samples.map((sample) => sample.value).find(isJsonObject);
  if (first === undefined) return byKey;
  const result = new Map<string, MetricSpec[]>();
  for (const [glob, specs] of byKey) {
    const pattern = globPattern(glob);
    for (const key of Object.keys(first).filter((candidate) => pattern.test(candidate))) {
      const list = result.get(key) ?? [];
      list.push(...specs.filter((spec) => !list.some((other) => logName(other.name) === logName(spec.name))));
      result.set(key, list);
    }
  }
  return result;
}

function globPattern(glob: string): RegExp {
  const source = glob
    .replace(/[.+^${}()|\\[\]]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${source}$`, 's');
}

interface KeySamplesInput {
  readonly scorer: string;
  readonly key: string;
  readonly samples: readonly ScoredSample[];
  readonly warnings: Set<string>;
}

function samplesOfKey({ scorer, key, samples, warnings }: KeySamplesInput): ScoredSample[] {
  return samples.map((sample) => {
    const value = isJsonObject(sample.value) ? sample.value[key] : undefined;
    if (value === undefined && !isNaNValue(sample.value)) {
      warnings.add(
        `${scorer}: sample ${sample.sampleId} has no value for the key "${key}" and counts as unscored.`,
      );
    }
    // A null inside a record is a value that counts as 0, unlike a null in the place of the whole score.
    return { ...sample, value: value === undefined ? Number.NaN : (value ?? 0) };
  });
}

function planOf(spec: ScorerSpec): MetricPlan {
  if (spec.metrics === undefined || spec.metrics === null) return DEFAULT_METRICS;
  return readMetricPlan(spec.metrics);
}

function specsOf(plan: MetricPlan): readonly MetricSpec[] {
  return [...plan.simple, ...plan.byKey.flatMap((byKey) => [...byKey.values()].flat())];
}
