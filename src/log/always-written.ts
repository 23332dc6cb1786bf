import type { EvalSampleSummary, EvalSpec, LogHeader, LogStart, ModelOutput, Score } from './schema.ts';

/**
 * The keys that Inspect itself always writes: its viewer is not defensive everywhere, so a caller that left one out
 * must not make a log that cannot be shown [LOG-4].
 */
export function completeStart(start: LogStart): LogStart {
  return {
    ...start,
    version: start.version ?? 2,
    eval: completeSpec(start.eval),
    plan: completePlan(start.plan),
  };
}

export function completeHeader(header: LogHeader): LogHeader {
  const {
    version,
    status,
    eval: spec,
    plan,
    results,
    stats,
    error,
    invalidated,
    tags,
    metadata,
    ...rest
  } = header;
  return {
    version: version ?? 2,
    status,
    eval: completeSpec(spec),
    plan: completePlan(plan),
    ...(results && { results: completeResults(results) }),
    stats: {
      ...stats,
      started_at: stats?.started_at ?? '',
      completed_at: stats?.completed_at ?? '',
      model_usage: stats?.model_usage ?? {},
      role_usage: stats?.role_usage ?? {},
      connection_limit_history: stats?.connection_limit_history ?? [],
    },
    ...(error && { error }),
    invalidated: invalidated ?? false,
    ...rest,
    tags: tags ?? [],
    metadata: metadata ?? {},
  };
}

export function completeSummary(summary: EvalSampleSummary): EvalSampleSummary {
  return {
    ...summary,
    metadata: summary.metadata ?? {},
    ...(summary.scores && { scores: completeScores(summary.scores) }),
    model_usage: summary.model_usage ?? {},
    role_usage: summary.role_usage ?? {},
    completed: summary.completed ?? false,
  };
}

export function completeScores(scores: Readonly<Record<string, Score>>): Record<string, Score> {
  return Object.fromEntries(Object.entries(scores).map(([name, score]) => [name, completeScore(score)]));
}

/** The completion is the text of the first choice, which Inspect writes out once more. */
export function completeOutput(output: ModelOutput | undefined): ModelOutput {
  const choices = output?.choices ?? [];
  const content = choices[0]?.message?.content ?? '';
  const parts: readonly unknown[] = Array.isArray(content) ? content : [{ text: content }];
  const texts = parts.map((part) => (part instanceof Object ? Reflect.get(part, 'text') : undefined));
  const text = texts.filter((item) => typeof item === 'string').join('');
  return { ...output, model: output?.model ?? '', choices, completion: output?.completion ?? text };
}

export function completeScore<T extends Score>(score: T): T {
  return { ...score, history: score.history ?? [] };
}

function completeSpec(spec: EvalSpec): EvalSpec {
  return {
    ...spec,
    eval_id: spec.eval_id ?? '',
    run_id: spec.run_id ?? '',
    task_id: spec.task_id ?? '',
    task_version: spec.task_version ?? 0,
    task_attribs: spec.task_attribs ?? {},
    task_args: spec.task_args ?? {},
    task_args_passed: spec.task_args_passed ?? spec.task_args ?? {},
    dataset: spec.dataset ?? {},
    model_generate_config: spec.model_generate_config ?? {},
    model_args: spec.model_args ?? {},
    config: spec.config ?? {},
    packages: spec.packages ?? {},
  };
}

function completePlan(plan: LogStart['plan'] | undefined): LogStart['plan'] {
  const steps = (plan?.steps ?? []).map((step) => {
    const params = step.params ?? {};
    return { ...step, params, params_passed: step.params_passed ?? params };
  });
  return { ...plan, name: plan?.name ?? 'plan', steps, config: plan?.config ?? {} };
}

function completeResults(results: NonNullable<LogHeader['results']>): NonNullable<LogHeader['results']> {
  return {
    ...results,
    total_samples: results.total_samples ?? 0,
    completed_samples: results.completed_samples ?? 0,
    scores: (results.scores ?? []).map((score) => ({
      ...score,
      params: score.params ?? {},
      metrics: Object.fromEntries(
        Object.entries(score.metrics ?? {}).map(([name, metric]) => [
          name,
          { ...metric, params: metric.params ?? {} },
        ]),
      ),
    })),
  };
}
