import { type Pin, pinsJson } from '../artifacts/index.ts';
import {
  definedOf,
  type Json,
  type JsonObject,
  type Random,
  type RunId,
  shortId,
  toJson,
} from '../base/index.ts';
import type { Dataset } from '../datasets/index.ts';
import { type PlannedEval, scorerSpecs } from '../evals/index.ts';
import { type EvalConfig, type LoggedCode, type LogStart, revisionIn } from '../log/index.ts';
import type { Redaction, RunnableTarget } from '../targets/index.ts';
import type { Plan } from './plan.ts';

export interface EvalSpecInput {
  readonly runId: RunId;
  readonly created: string;
  readonly eval: PlannedEval;
  readonly target: RunnableTarget;
  readonly plan: Plan;
  readonly dataset: Pick<Dataset, 'name' | 'location' | 'ids' | 'totalCount' | 'isShuffled'>;
  readonly file: string | undefined;
  /** The generations of artifacts that the run uses. */
  readonly pins?: readonly Pin[] | undefined;
  readonly random: Random;
  readonly concurrency: number;
  readonly version: string;
  readonly revision?: LoggedCode | undefined;
  /** What the eval's author says about it is kept as redacted as all else [RED-1]. */
  readonly redaction: Redaction;
}

/** `_journal/start.json`: what Inspect's tools need to know of an eval, and ours under `metadata.holdfast`. */
export function logStartOf(input: EvalSpecInput): LogStart {
  const { eval: planned, target, dataset, redaction } = input;
  const { tags, metadata } = redaction.value({ tags: planned.tags, metadata: planned.metadata });
  return {
    version: 2,
    eval: {
      eval_id: shortId(input.random),
      run_id: input.runId,
      created: input.created,
      task: planned.name,
      task_id: shortId(input.random),
      task_version: planned.version,
      ...definedOf({ task_file: input.file }),
      task_attribs: {},
      task_args: {},
      task_args_passed: {},
      solver: target.kind,
      tags,
      dataset: {
        ...definedOf({ name: dataset.name, location: dataset.location }),
        samples: dataset.totalCount,
        sample_ids: dataset.ids,
        shuffled: dataset.isShuffled,
      },
      model: target.name,
      model_generate_config: {},
      model_args: {},
      config: configOf(input),
      ...(input.revision && { revision: revisionIn(input.revision) }),
      packages: { holdfast: input.version },
      metadata: { ...metadata, holdfast: ourMetadata(input) },
      scorers: redaction.value(scorerSpecs(planned)),
      ...(planned.metrics === undefined ? {} : { metrics: toJson(planned.metrics) }),
    },
    plan: { name: 'plan', steps: [{ solver: target.kind, params: {}, params_passed: {} }], config: {} },
  };
}

function configOf({ eval: planned, concurrency }: EvalSpecInput): EvalConfig {
  const { limits } = planned;
  const config: Record<string, Json | undefined> = {
    limit: planned.limit,
    epochs: planned.epochs.count,
    epochs_reducer: planned.epochs.reducers,
    fail_on_error: planned.failOnError,
    continue_on_fail: false,
    retry_on_error: planned.retries,
    score_on_error: false,
    message_limit: limits.messages,
    token_limit: limits.tokens,
    turn_limit: limits.turns,
    time_limit: inSeconds(limits.timeMs),
    working_limit: inSeconds(limits.workingMs),
    cost_limit: limits.costUsd,
    max_samples: concurrency,
    sandbox_cleanup: true,
    log_samples: true,
    log_realtime: true,
    log_images: true,
    score_display: true,
  };
  return Object.fromEntries(Object.entries(config).filter(([, value]) => value !== undefined)) as EvalConfig;
}

/** Inspect reads whole seconds. */
function inSeconds(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : Math.max(1, Math.ceil(ms / 1_000));
}

function ourMetadata({
  runId,
  plan,
  target,
  eval: planned,
  redaction,
  revision,
  pins,
}: EvalSpecInput): JsonObject {
  return {
    format: 1,
    run: runId,
    definition: plan.identity.definition,
    target: plan.identity.target,
    target_kind: target.kind,
    ...definedOf({ parts: plan.identity.parts && toJson(plan.identity.parts) }),
    plan: plan.digest,
    threshold: toJson(planned.threshold),
    ...definedOf({ artifacts: pins && pinsJson(pins) }),
    ...definedOf({ branch: revision?.branch }),
    ...(planned.description === undefined ? {} : { description: redaction.text(planned.description) }),
  };
}
