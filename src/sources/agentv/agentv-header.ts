import { definedOf, isJsonObject, type Json, type JsonObject } from '../../base/index.ts';
import type { EvalResults, EvalSpec, LogHeader, ModelUsage } from '../../log/index.ts';
import type { SampleCounts } from '../../results/index.ts';
import { EpochScores, RunningScore } from '../../stats/index.ts';
import type { AgentvPlace } from './agentv-files.ts';
import { type AgentvSample, textOf } from './agentv-rows.ts';

/** A run of AgentV, as far as a list needs it. */
export interface AgentvRun {
  readonly place: AgentvPlace;
  readonly version: 4 | 5;
  /** Its `benchmark.json` or `summary.json`. */
  readonly about: JsonObject;
  readonly samples: readonly AgentvSample[];
}

/** The score that AgentV gives a test, over all of its graders. */
export const OVERALL = 'score';

/** A run of AgentV as the header of a log says it: what one calls a test is a sample here, and a suite an eval. */
export function headerOf(run: AgentvRun): LogHeader {
  const { place, about, samples } = run;
  const metadata = isJsonObject(about.metadata) ? about.metadata : {};
  const ended = samples.flatMap(({ time }) => time ?? []).sort();
  return {
    version: 2,
    status: statusOf(samples, metadata.planned_test_count),
    eval: specOf(run, metadata),
    plan: { name: 'plan', steps: [], config: {} },
    results: resultsOf(samples),
    stats: {
      started_at: place.created,
      completed_at: ended.at(-1) ?? place.created,
      model_usage: usageByTarget(samples),
      role_usage: {},
      connection_limit_history: [],
    },
    invalidated: false,
    tags: tagsOf(metadata.tags),
    metadata: {},
  };
}

function specOf(run: AgentvRun, metadata: JsonObject): EvalSpec {
  const { place, version, samples } = run;
  const task = evalOf(run, metadata);
  const targets = [...new Set(samples.map(({ target }) => target))];
  const experiment = textOf(metadata.experiment);
  return {
    eval_id: place.name,
    run_id: place.name,
    created: place.created,
    task,
    task_id: place.name,
    task_version: 0,
    task_attribs: {},
    task_args: {},
    task_args_passed: {},
    dataset: { name: task, samples: new Set(samples.map(({ id }) => id)).size },
    model: targets.join(', ') || 'unknown',
    model_generate_config: {},
    model_args: {},
    config: { epochs: samples.reduce((most, { epoch }) => Math.max(most, epoch), 1) },
    packages: { agentv: `${version}` },
    metadata: { ...definedOf({ experiment }), agentv: metadata },
  };
}

export function countsOf(samples: readonly AgentvSample[]): SampleCounts {
  const count = (status: AgentvSample['status']) => samples.filter((one) => one.status === status).length;
  const passed = count('ok');
  const scores = new EpochScores();
  for (const { id, score, status } of samples)
    if (status !== 'execution_error' && score !== undefined) scores.add(String(id), score);
  const interval = scores.interval();
  return {
    samples: samples.length,
    completed: passed + count('quality_failure'),
    errored: count('execution_error'),
    passed,
    // Scores of AgentV lie between 0 and 1, and so does their mean, however few they are.
    intervalOf: (scorer) =>
      scorer === OVERALL && interval
        ? { low: Math.max(0, interval.lower), high: Math.min(1, interval.upper) }
        : undefined,
  };
}

export function usageOf({ tokens, usd }: AgentvSample): ModelUsage | undefined {
  if (!tokens && usd === undefined) return undefined;
  const { input, output } = tokens ?? { input: 0, output: 0 };
  return {
    input_tokens: input,
    output_tokens: output,
    total_tokens: input + output,
    ...definedOf({ total_cost: usd }),
  };
}

/** The mean of AgentV's own score, and of every grader that judged all of them. What was not run to its end has no score. */
function resultsOf(samples: readonly AgentvSample[]): EvalResults {
  const run = samples.filter(({ status }) => status !== 'execution_error');
  const names = new Set(run.flatMap(({ graders }) => graders.map(({ name }) => name)));
  const everywhere = [...names].filter((name) =>
    run.every(({ graders }) => graders.some((one) => one.name === name)),
  );
  const means = everywhere.map((name) => {
    const scores = run.map(({ graders }) => graders.find((one) => one.name === name)?.score ?? 0);
    return scoreNamed(name, scores.reduce((sum, one) => sum + one, 0) / scores.length);
  });
  const { mean, scored } = scoreOver(samples).soFar();
  return {
    total_samples: samples.length,
    completed_samples: run.length,
    scores: scored === 0 ? [] : [scoreNamed(OVERALL, mean), ...means],
  };
}

function scoreNamed(name: string, value: number): EvalResults['scores'][number] {
  return { name, scorer: 'agentv', params: {}, metrics: { mean: { name: 'mean', value, params: {} } } };
}

function scoreOver(samples: readonly AgentvSample[]): RunningScore {
  const score = new RunningScore();
  for (const one of samples)
    if (one.status !== 'execution_error' && one.score !== undefined) score.add(one.score);
  return score;
}

/** A price is known only when that of every sample is; one that failed before anything was used costs nothing. */
function usageByTarget(samples: readonly AgentvSample[]): Record<string, ModelUsage> {
  const usage: Record<string, ModelUsage> = {};
  for (const sample of samples) {
    const one = usageOf(sample) ?? (sample.status === 'execution_error' ? undefined : NOTHING_KNOWN);
    if (!one) continue;
    const before = usage[sample.target];
    const { total_cost: cost, ...tokens } = one;
    const total = before ? sum(before.total_cost, cost) : cost;
    usage[sample.target] = {
      input_tokens: (before?.input_tokens ?? 0) + tokens.input_tokens,
      output_tokens: (before?.output_tokens ?? 0) + tokens.output_tokens,
      total_tokens: (before?.total_tokens ?? 0) + tokens.total_tokens,
      ...definedOf({ total_cost: total }),
    };
  }
  return usage;
}

const NOTHING_KNOWN: ModelUsage = { input_tokens: 0, output_tokens: 0, total_tokens: 0 };

function sum(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? undefined : one + other;
}

/** Nothing tells how a run of AgentV ended but its rows. */
function statusOf(samples: readonly AgentvSample[], planned: Json | undefined): LogHeader['status'] {
  const tests = new Set(samples.map(({ id }) => id)).size;
  if (typeof planned === 'number' && tests < planned) return 'cancelled';
  return samples.length > 0 && samples.every(({ status }) => status === 'execution_error')
    ? 'error'
    : 'success';
}

function evalOf({ samples, place }: AgentvRun, metadata: JsonObject): string {
  const suites = new Set(samples.flatMap(({ suite }) => suite ?? []));
  const [suite] = suites;
  if (suites.size === 1 && suite !== undefined) return suite;
  const file = textOf(metadata.eval_file)?.split(/[/\\]/).at(-1);
  return file?.replace(/(?:\.eval)?\.(?:ya?ml|ts|jsonl?)$/, '') || textOf(metadata.experiment) || place.name;
}

/** A map in version 5; its experiment stands elsewhere. */
function tagsOf(tags: Json | undefined): string[] {
  if (tags === undefined || !isJsonObject(tags)) return [];
  const known = Object.entries(tags).filter(([key]) => key !== 'experiment');
  return known.map(([key, value]) => (value === '' || value === true ? key : `${key}=${String(value)}`));
}
