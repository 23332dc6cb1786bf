/** One scorer's part of the results: its metrics over the samples, named as the log names them. */
import { isJsonObject, type Json, type JsonObject, type SampleId } from '../base/index.ts';
import { logName, type MetricPlan, type MetricSpec, shortName } from './metric-spec.ts';
import { computeMetric, type MetricOutcome, type ScoredSample } from './metrics.ts';
import { isNaNValue, isUnscored, type ScoreLike } from './score-value.ts';

/** A scorer as the log's header names it. `metrics` as in the log; absent: accuracy and stderr. */
export interface ScorerSpec {
  readonly name: string;
  readonly options?: JsonObject;
  readonly metrics?: Json;
  readonly metadata?: JsonObject;
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

export interface EvalSampleReductions {
  readonly scorer: string;
  readonly reducer?: string;
  readonly samples: readonly (ScoreLike & {
    readonly history: readonly never[];
    readonly sample_id: SampleId;
  })[];
}

/** A scorer with the key under which its scores are stored, and its metrics. */
export interface KeyedScorer {
  readonly key: string;
  readonly spec: ScorerSpec;
  readonly plan: MetricPlan;
  /** Scores that are records are counted by each of their keys, also where the metrics name none. */
  readonly countsRecords?: boolean;
}

/** The samples as metrics see them: after one reducer, or every epoch on its own. */
export interface ScoreView {
  readonly reducer: string | undefined;
  readonly samples: readonly ScoredSample[];
  readonly reductions: EvalSampleReductions | undefined;
}

/** The whole value first, then the keys of records that have metrics of their own. */
export function evalScores(given: KeyedScorer, view: ScoreView, warnings: Set<string>): EvalScore[] {
  const scorer = given.countsRecords && areRecords(view.samples) ? byEachKey(given) : given;
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

/** True when all that was scored are records, so that no metric could make one number of them. */
function areRecords(samples: readonly ScoredSample[]): boolean {
  const scored = samples.filter(({ value }) => !isUnscored(value));
  return scored.length > 0 && scored.every(({ value }) => isJsonObject(value));
}

/** As Inspect does when metrics are given for the key `*`: each key has a result of its own, with all the metrics. */
function byEachKey(scorer: KeyedScorer): KeyedScorer {
  const { simple, byKey, hasWhole } = scorer.plan;
  if (!hasWhole || byKey.length > 0) return scorer;
  return { ...scorer, plan: { simple: [], byKey: [new Map([['*', simple]])], hasWhole: false } };
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
