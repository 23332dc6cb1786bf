import { type Clock, definedOf, isoSeconds, type Json } from '../base/index.ts';
import type { RunRecord } from '../journal/index.ts';
import { addUsage, type EvalSampleSummary, type EvalStats, type ModelUsage } from '../log/index.ts';
import { ResultsCollector } from '../stats/index.ts';
import type { SealPlan } from './plan-seal.ts';

/** For the numbers of the whole run, from its samples' scores. Interrupted and errored samples are not completed. */
export function resultsCollector({ run, counts }: SealPlan): ResultsCollector {
  const { scorers, metrics, config } = run.start.eval;
  return new ResultsCollector({
    scorers: scorers ?? [],
    ...definedOf({ metrics }),
    ...(config.epochs_reducer ? { reducers: config.epochs_reducer } : {}),
    countsRecords: true,
    totalSamples: counts.planned,
    completedSamples: counts.completed + counts.reused,
  });
}

/** Times and usage of the whole run, added up while its summaries go by: what its samples used, whoever ran them. */
export class StatsCollector {
  readonly #models = new Map<string, ModelUsage>();
  readonly #roles = new Map<string, ModelUsage>();
  #startedAt: string;

  constructor(run: RunRecord) {
    this.#startedAt = run.created;
  }

  add(summary: EvalSampleSummary): void {
    const started = summary.started_at;
    if (started !== undefined && Date.parse(started) < Date.parse(this.#startedAt)) this.#startedAt = started;
    addAll(this.#models, summary.model_usage);
    addAll(this.#roles, summary.role_usage);
  }

  finish({
    clock,
    connectionLimits = [],
  }: {
    readonly clock: Clock;
    readonly connectionLimits?: readonly Json[] | undefined;
  }): EvalStats {
    return {
      started_at: this.#startedAt,
      completed_at: isoSeconds(clock.nowMs()),
      model_usage: Object.fromEntries(this.#models),
      role_usage: Object.fromEntries(this.#roles),
      connection_limit_history: connectionLimits,
    };
  }
}

function addAll(into: Map<string, ModelUsage>, usage: Readonly<Record<string, ModelUsage>>): void {
  for (const [name, item] of Object.entries(usage)) into.set(name, addUsage(into.get(name), item));
}
