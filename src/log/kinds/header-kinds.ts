import { isJsonArray } from '../../base/index.ts';
import type {
  EvalConfig,
  EvalDataset,
  EvalMetric,
  EvalPlan,
  EvalResults,
  EvalScore,
  EvalScorer,
  EvalSpec,
  EvalStats,
  LogHeader,
  LogStart,
} from '../schema.ts';
import {
  anyOf,
  anything,
  asText,
  flag,
  type Kind,
  listOf,
  number,
  oneOf,
  record,
  recordOf,
  text,
  Wrong,
} from './kind.ts';
import { usageByName } from './model-kinds.ts';
import { objectOf, optional, otherwise, vital, vitalOr } from './object-kind.ts';
import { evalError, sampleId } from './sample-kinds.ts';

/** From one sample up to another. */
const range: Kind<readonly [number, number]> = (value) => {
  const [start, end, ...rest] = isJsonArray(value) ? value : [];
  const isRange = typeof start === 'number' && typeof end === 'number' && rest.length === 0;
  return isRange ? [start, end] : new Wrong('a range');
};

const dataset = objectOf<EvalDataset>({
  name: optional(asText),
  location: optional(asText),
  samples: optional(number),
  sample_ids: optional(listOf(sampleId)),
  shuffled: optional(flag),
});

const config = objectOf<EvalConfig>({
  limit: optional(anyOf(number, range)),
  epochs: optional(number),
  epochs_reducer: optional(listOf(asText)),
  fail_on_error: optional(anyOf(flag, number)),
  continue_on_fail: optional(flag),
  retry_on_error: optional(number),
  score_on_error: optional(flag),
  message_limit: optional(number),
  token_limit: optional(number),
  turn_limit: optional(number),
  time_limit: optional(number),
  working_limit: optional(number),
  cost_limit: optional(number),
  max_samples: optional(number),
});

const scorer = objectOf<EvalScorer>({
  name: otherwise(asText, ''),
  options: optional(record),
  metrics: optional(anything),
  metadata: optional(record),
});

/** By its task and its model people find a log, so these are what they should be, or the log is damaged. */
const spec = objectOf<EvalSpec>({
  eval_set_id: optional(asText),
  eval_id: otherwise(asText, ''),
  run_id: otherwise(asText, ''),
  created: otherwise(asText, ''),
  task: vitalOr(text, ''),
  task_id: otherwise(asText, ''),
  task_version: otherwise(anyOf(number, asText), 0),
  task_file: optional(asText),
  task_display_name: optional(asText),
  task_registry_name: optional(asText),
  task_attribs: otherwise(record, {}),
  task_args: otherwise(record, {}),
  task_args_passed: otherwise(record, {}),
  solver: optional(asText),
  solver_args: optional(anything),
  solver_args_passed: optional(anything),
  sandbox: optional(anything),
  model_base_url: optional(asText),
  model_roles: optional(record),
  viewer: optional(anything),
  tags: optional(listOf(asText)),
  dataset: otherwise(dataset, {}),
  model: vitalOr(text, ''),
  model_generate_config: otherwise(record, {}),
  model_args: otherwise(record, {}),
  config: otherwise(config, {}),
  revision: optional(record),
  packages: otherwise(recordOf(asText), {}),
  metadata: optional(record),
  scorers: optional(listOf(scorer)),
  metrics: optional(anything),
});

const plan = objectOf<EvalPlan>({
  name: otherwise(asText, 'plan'),
  steps: otherwise(
    listOf(
      objectOf<EvalPlan['steps'][number]>({
        solver: otherwise(asText, ''),
        params: otherwise(record, {}),
        params_passed: optional(record),
      }),
    ),
    [],
  ),
  finish: optional(anything),
  config: otherwise(record, {}),
});

const metric = objectOf<EvalMetric>({
  name: otherwise(asText, ''),
  // Inspect writes NaN for what could not be computed, and other tools null.
  value: otherwise(number, Number.NaN),
  group: optional(asText),
  params: otherwise(record, {}),
  metadata: optional(record),
});

const score = objectOf<EvalScore>({
  name: otherwise(asText, ''),
  scorer: otherwise(asText, ''),
  reducer: optional(asText),
  scored_samples: optional(number),
  unscored_samples: optional(number),
  params: otherwise(record, {}),
  metrics: vitalOr(recordOf(metric), {}),
  metadata: optional(record),
});

/** Everybody computes with scores and their metrics. */
const results = objectOf<EvalResults>({
  total_samples: otherwise(number, 0),
  completed_samples: otherwise(number, 0),
  early_stopping: optional(anything),
  scores: vitalOr(listOf(score), []),
  metadata: optional(record),
});

const stats = objectOf<EvalStats>({
  started_at: otherwise(asText, ''),
  completed_at: otherwise(asText, ''),
  model_usage: otherwise(usageByName, {}),
  role_usage: otherwise(usageByName, {}),
  connection_limit_history: otherwise(listOf(anything), []),
});

export const logStart = objectOf<LogStart>({ version: otherwise(number, 2), eval: spec, plan });

export const logHeader = objectOf<LogHeader>({
  version: otherwise(number, 2),
  status: otherwise(oneOf('started', 'success', 'cancelled', 'error'), 'started'),
  eval: spec,
  plan: otherwise(plan, { name: 'plan', steps: [], config: {} }),
  results: vital(results),
  stats: otherwise(stats, {
    started_at: '',
    completed_at: '',
    model_usage: {},
    role_usage: {},
    connection_limit_history: [],
  }),
  error: optional(evalError),
  invalidated: otherwise(flag, false),
  log_updates: optional(listOf(anything)),
  config_updates: optional(listOf(anything)),
  tags: otherwise(listOf(asText), []),
  metadata: otherwise(record, {}),
});
