/** Metrics turn the scores of all samples into numbers. Scores that are NaN have been left out before. */
import { type Json, type JsonObject, type SampleId, stringifyJson } from '../base/index.ts';
import { bootstrapInterval, bootstrapStandardError, tInterval, wilsonInterval } from './intervals.ts';
import { type MetricSpec, readMetricSpec, shortName } from './metric-spec.ts';
import { clusteredStandardError, mean, standardDeviation, standardError, sum, variance } from './moments.ts';
import { isNaNValue, toFloat } from './score-value.ts';

/** One scored sample, as a metric sees it. */
export interface ScoredSample {
  readonly sampleId: SampleId;
  readonly value: Json;
  readonly metadata: JsonObject;
}

/** A number, or one number for each key (`lower` and `upper`, or the names of groups). */
export type MetricValue = number | ReadonlyMap<string, number>;

export interface MetricOutcome {
  readonly value: MetricValue;
  /** What the reader of the result should know: a value that had to be guessed, or why there is none. */
  readonly warnings: readonly string[];
}

export const METRIC_NAMES = [
  'accuracy',
  'mean',
  'std',
  'var',
  'stderr',
  'bootstrap_stderr',
  'ci',
  'ci_wilson',
  'grouped',
] as const;
export type MetricName = (typeof METRIC_NAMES)[number];

/** The options each metric takes, with the names Inspect gives them. */
export const METRIC_OPTIONS: Readonly<Record<MetricName, readonly string[]>> = {
  accuracy: [],
  mean: [],
  std: [],
  var: [],
  stderr: ['cluster'],
  bootstrap_stderr: ['num_samples', 'seed'],
  ci: ['level', 'method', 'num_samples', 'cluster', 'seed'],
  ci_wilson: ['level'],
  grouped: ['metric', 'group_key', 'all', 'all_label'],
};

const LEVEL_DEFAULT = 0.95;
const RESAMPLES_DEFAULT = 1_000;
const SEED_DEFAULT = 0;

export function isMetricName(name: string): name is MetricName {
  return (METRIC_NAMES as readonly string[]).includes(name);
}

/** The keys of the sample's metadata that these metrics look at; nothing else of it need be kept. */
export function metadataKeysOf(specs: Iterable<MetricSpec>): ReadonlySet<string> {
  const keys = new Set<string>();
  for (const { options } of specs) {
    for (const key of [options.cluster, options.group_key]) if (typeof key === 'string') keys.add(key);
    const inner = readMetricSpec(options.metric);
    if (inner !== undefined) for (const key of metadataKeysOf([inner])) keys.add(key);
  }
  return keys;
}

/** Computes a metric over at least one scored sample. Undefined: this program does not know the metric. */
export function computeMetric(spec: MetricSpec, samples: readonly ScoredSample[]): MetricOutcome | undefined {
  const name = shortName(spec.name);
  if (!isMetricName(name)) return undefined;
  if (name === 'grouped') return computeGrouped(spec.options, samples);
  const { floats, warnings } = floatsOf(samples);
  const clusters = clustersOf({ name, options: spec.options, samples, floats });
  if (clusters?.missing !== undefined)
    return { value: Number.NaN, warnings: [...warnings, clusters.missing] };
  const value = computeSimple({ name, options: spec.options, floats, clusters: clusters?.groups });
  return typeof value === 'string'
    ? { value: Number.NaN, warnings: [...warnings, value] }
    : { value, warnings };
}

interface SimpleInput {
  readonly name: Exclude<MetricName, 'grouped'>;
  readonly options: JsonObject;
  readonly floats: readonly number[];
  readonly clusters: readonly (readonly number[])[] | undefined;
}

/** A text means: there is no value, and this is why. */
function computeSimple({ name, options, floats, clusters }: SimpleInput): MetricValue | string {
  const level = numberOption(options.level, LEVEL_DEFAULT);
  const resamples = numberOption(options.num_samples, RESAMPLES_DEFAULT);
  const seed = numberOption(options.seed, SEED_DEFAULT);
  switch (name) {
    case 'accuracy':
    case 'mean':
      return mean(floats);
    case 'std':
      return standardDeviation(floats);
    case 'var':
      return variance(floats);
    case 'stderr':
      return clusters === undefined ? standardError(floats) : clusteredStandardError(clusters);
    case 'bootstrap_stderr':
      return bootstrapStandardError({ values: floats, resamples, seed });
    case 'ci': {
      const input = { values: floats, level, ...(clusters !== undefined && { clusters }) };
      const isBootstrap = options.method === 'bootstrap';
      return bounds(isBootstrap ? bootstrapInterval({ ...input, resamples, seed }) : tInterval(input));
    }
    case 'ci_wilson':
      if (floats.some((float) => float < 0 || float > 1)) return 'ci_wilson needs scores between 0 and 1';
      return bounds(wilsonInterval(sum(floats), floats.length, level));
  }
}

function bounds({ lower, upper }: { readonly lower: number; readonly upper: number }): MetricValue {
  return new Map([
    ['lower', lower],
    ['upper', upper],
  ]);
}

function computeGrouped(options: JsonObject, samples: readonly ScoredSample[]): MetricOutcome {
  const inner = readMetricSpec(options.metric);
  const key = options.group_key;
  if (inner === undefined || typeof key !== 'string') {
    return noValue('grouped needs the options metric and group_key');
  }
  const groups = new Map<string, ScoredSample[]>();
  for (const sample of samples) {
    const group = sample.metadata[key];
    if (group === undefined)
      return noValue(missingKey({ metric: 'grouped', key, sampleId: sample.sampleId }));
    const name = groupName(group);
    const members = groups.get(name);
    if (members === undefined) groups.set(name, [sample]);
    else members.push(sample);
  }
  return combineGroups({ options, inner, groups, samples });
}

interface GroupedInput {
  readonly options: JsonObject;
  readonly inner: MetricSpec;
  readonly groups: ReadonlyMap<string, readonly ScoredSample[]>;
  readonly samples: readonly ScoredSample[];
}

function combineGroups({ options, inner, groups, samples }: GroupedInput): MetricOutcome {
  const values = new Map<string, number>();
  const warnings = new Set<string>();
  const compute = (members: readonly ScoredSample[]): number => {
    const outcome = computeMetric(inner, members);
    for (const warning of outcome?.warnings ?? []) warnings.add(warning);
    if (typeof outcome?.value === 'number') return outcome.value;
    warnings.add(`grouped takes a metric with one number, which ${inner.name} is not`);
    return Number.NaN;
  };
  for (const [name, members] of groups) values.set(name, compute(members));
  const label = typeof options.all_label === 'string' ? options.all_label : 'all';
  if (options.all === 'groups') values.set(label, mean([...values.values()]));
  else if (options.all !== false) values.set(label, compute(samples));
  return { value: values, warnings: [...warnings] };
}

interface ClusterInput {
  readonly name: MetricName;
  readonly options: JsonObject;
  readonly samples: readonly ScoredSample[];
  readonly floats: readonly number[];
}

function clustersOf({ name, options, samples, floats }: ClusterInput) {
  const key = options.cluster;
  if (typeof key !== 'string' || !METRIC_OPTIONS[name].includes('cluster')) return undefined;
  const groups = new Map<string, number[]>();
  for (const [index, sample] of samples.entries()) {
    const id = sample.metadata[key];
    if (id === undefined || id === null || isNaNValue(id)) {
      return { groups: [], missing: missingKey({ metric: name, key, sampleId: sample.sampleId }) };
    }
    // 1, 1.0 and true are one cluster, "1" is another: equality as Inspect has it.
    const clusterKey = stringifyJson(typeof id === 'boolean' ? Number(id) : id);
    const members = groups.get(clusterKey);
    if (members === undefined) groups.set(clusterKey, [floats[index] ?? 0]);
    else members.push(floats[index] ?? 0);
  }
  return { groups: [...groups.values()], missing: undefined };
}

function floatsOf(samples: readonly ScoredSample[]) {
  let guesses = 0;
  const floats = samples.map((sample) => {
    const { float, isGuess } = toFloat(sample.value);
    if (isGuess) guesses++;
    return float;
  });
  const warnings =
    guesses === 0 ? [] : [`${guesses} of ${samples.length} values are not numbers and count as 0`];
  return { floats, warnings };
}

/** As Python prints it, because that is how Inspect names groups. */
function groupName(value: Json): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'object') return stringifyJson(value);
  return String(value);
}

function missingKey(at: {
  readonly metric: string;
  readonly key: string;
  readonly sampleId: SampleId;
}): string {
  return `${at.metric} needs metadata "${at.key}" in every sample, and sample ${at.sampleId} has none`;
}

function noValue(warning: string): MetricOutcome {
  return { value: Number.NaN, warnings: [warning] };
}

function numberOption(value: Json | undefined, fallback: number): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : fallback;
}
