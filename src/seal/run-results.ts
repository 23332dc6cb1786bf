import { type Clock, isoSeconds, type Json } from '../base/index.ts';
import type { RunRecord } from '../journal/index.ts';
import { addUsage, type EvalStats, type ModelUsage } from '../log/index.ts';
import { type ComputedResults, computeResults } from '../stats/index.ts';
import type { Choice } from './choose-attempts.ts';
import { summariesOf } from './sample-parts.ts';

/** The numbers of the whole run, from its samples' scores. Interrupted and errored samples are not completed. */
export function computeRunResults(run: RunRecord, choices: readonly Choice[]): Promise<ComputedResults> {
  const { scorers, metrics, config } = run.start.eval;
  const completed = choices.filter(
    (choice) => choice.from === 'log' || choice.attempt.status === 'completed',
  );
  return computeResults({
    samples: summariesOf(choices),
    scorers: scorers ?? [],
    ...(metrics === undefined ? {} : { metrics }),
    ...(config.epochs_reducer ? { reducers: config.epochs_reducer } : {}),
    totalSamples: run.planned,
    completedSamples: completed.length,
  });
}

/** Times and usage of the whole run: what its samples used, whoever ran them. */
export function computeStats(
  run: RunRecord,
  choices: readonly Choice[],
  { clock, connectionLimits = [] }: { readonly clock: Clock; readonly connectionLimits?: readonly Json[] },
): EvalStats {
  let startedAt = run.created;
  const models = new Map<string, ModelUsage>();
  const roles = new Map<string, ModelUsage>();
  for (const summary of summariesOf(choices)) {
    const started = summary.started_at;
    if (started !== undefined && Date.parse(started) < Date.parse(startedAt)) startedAt = started;
    addAll(models, summary.model_usage);
    addAll(roles, summary.role_usage);
  }
  return {
    started_at: startedAt,
    completed_at: isoSeconds(clock.nowMs()),
    model_usage: Object.fromEntries(models),
    role_usage: Object.fromEntries(roles),
    connection_limit_history: connectionLimits,
  };
}

function addAll(into: Map<string, ModelUsage>, usage: Readonly<Record<string, ModelUsage>>): void {
  for (const [name, item] of Object.entries(usage)) into.set(name, addUsage(into.get(name), item));
}
