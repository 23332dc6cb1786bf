import { evalConfig, generateConfig, modelConfig, sandboxEnvironmentSpec } from './config-shapes.ts';
import { modelUsage } from './model-shapes.ts';
import { evalError, provenanceData } from './score-shapes.ts';
import {
  anyOf,
  anything,
  flag,
  integer,
  listOf,
  maybe,
  number,
  object,
  oneOf,
  optional,
  passed,
  recordOf,
  text,
  timeText,
} from './shape.ts';

export const evalDataset = object('EvalDataset', {
  name: maybe(text),
  location: maybe(text),
  samples: maybe(integer),
  sample_ids: maybe(anyOf(listOf(text), listOf(integer), listOf(anyOf(text, integer)))),
  shuffled: maybe(flag),
});

export const evalRevision = object('EvalRevision', {
  type: oneOf('git'),
  origin: text,
  commit: text,
  dirty: maybe(flag),
});

export const evalMetricDefinition = object('EvalMetricDefinition', {
  name: text,
  options: maybe(recordOf(anything)),
});

const metricGroups = recordOf(listOf(evalMetricDefinition));
const metricTree = anyOf(listOf(anyOf(evalMetricDefinition, metricGroups)), metricGroups);

export const evalScorer = object('EvalScorer', {
  name: text,
  options: maybe(recordOf(anything)),
  metrics: maybe(metricTree),
  metadata: maybe(recordOf(anything)),
});

export const headlineMetric = object('HeadlineMetric', {
  scorer: maybe(text),
  score: maybe(text),
  metric: maybe(text),
  reducer: maybe(text),
});

export const evalSpec = object('EvalSpec', {
  eval_set_id: maybe(text),
  eval_id: optional(text),
  run_id: optional(text),
  created: timeText,
  task: text,
  task_id: optional(text),
  task_version: optional(anyOf(integer, text)),
  task_file: maybe(text),
  task_display_name: maybe(text),
  task_description: maybe(text),
  task_registry_name: maybe(text),
  task_attribs: optional(recordOf(anything)),
  task_args: optional(recordOf(anything)),
  task_args_passed: optional(recordOf(anything)),
  solver: maybe(text),
  solver_args: maybe(recordOf(anything)),
  solver_args_passed: maybe(recordOf(anything)),
  tags: maybe(listOf(text)),
  dataset: evalDataset,
  sandbox: maybe(sandboxEnvironmentSpec),
  model: text,
  model_generate_config: optional(generateConfig),
  model_base_url: maybe(text),
  model_args: optional(recordOf(anything)),
  model_roles: maybe(recordOf(anyOf(modelConfig, listOf(modelConfig)))),
  config: evalConfig,
  revision: maybe(evalRevision),
  packages: optional(recordOf(text)),
  metadata: maybe(recordOf(anything)),
  viewer: maybe(passed('ViewerConfig')),
  scorers: maybe(listOf(evalScorer)),
  metrics: maybe(metricTree),
  headline_metric: maybe(headlineMetric),
  shards: maybe(passed('EvalShards')),
});

export const evalPlanStep = object('EvalPlanStep', {
  solver: text,
  params: optional(recordOf(anything)),
  params_passed: optional(recordOf(anything)),
});

export const evalPlan = object('EvalPlan', {
  name: optional(text),
  steps: optional(listOf(evalPlanStep)),
  finish: maybe(evalPlanStep),
  config: optional(generateConfig),
});

export const evalMetric = object('EvalMetric', {
  name: text,
  group: maybe(text),
  value: number,
  params: optional(recordOf(anything)),
  metadata: maybe(recordOf(anything)),
});

export const evalScore = object('EvalScore', {
  name: text,
  scorer: text,
  reducer: maybe(text),
  scored_samples: maybe(integer),
  unscored_samples: maybe(integer),
  params: optional(recordOf(anything)),
  metrics: optional(recordOf(evalMetric)),
  metadata: maybe(recordOf(anything)),
});

export const earlyStop = object('EarlyStop', {
  id: anyOf(text, integer),
  epoch: integer,
  reason: maybe(text),
  metadata: maybe(recordOf(anything)),
});

export const earlyStoppingSummary = object('EarlyStoppingSummary', {
  manager: text,
  early_stops: listOf(earlyStop),
  metadata: recordOf(anything),
});

export const evalResults = object('EvalResults', {
  total_samples: optional(integer),
  completed_samples: optional(integer),
  logged_samples: maybe(integer),
  early_stopping: maybe(earlyStoppingSummary),
  scores: optional(listOf(evalScore)),
  headline: maybe(headlineMetric),
  metadata: maybe(recordOf(anything)),
});

export const connectionLimitChange = object('ConnectionLimitChange', {
  timestamp: number,
  model: text,
  old_limit: integer,
  new_limit: integer,
  reason: oneOf('slow_start', 'steady_state_up', 'rate_limit', 'manual'),
});

export const evalStats = object('EvalStats', {
  started_at: optional(anyOf(timeText, oneOf(''))),
  completed_at: optional(anyOf(timeText, oneOf(''))),
  model_usage: optional(recordOf(modelUsage)),
  role_usage: optional(recordOf(modelUsage)),
  connection_limit_history: optional(listOf(connectionLimitChange)),
});

export const configValueChange = object('ConfigValueChange', {
  config: oneOf('eval', 'generate', 'concurrency'),
  name: text,
  value: optional(anything),
  cleared: optional(flag),
  previous: optional(anything),
});

export const configUpdate = object('ConfigUpdate', {
  changes: listOf(configValueChange),
  scope: oneOf('task', 'process'),
  provenance: provenanceData,
});

export const tagsEdit = object('TagsEdit', {
  type: oneOf('tags'),
  tags_add: optional(listOf(text)),
  tags_remove: optional(listOf(text)),
});

export const metadataEdit = object('MetadataEdit', {
  type: oneOf('metadata'),
  metadata_set: optional(recordOf(anything)),
  metadata_remove: optional(listOf(text)),
});

export const logUpdate = object('LogUpdate', {
  edits: optional(listOf(anyOf(tagsEdit, metadataEdit))),
  provenance: provenanceData,
});

export const logStart = object('LogStart', {
  version: integer,
  eval: evalSpec,
  plan: evalPlan,
});

/** `header.json`: samples and reductions are members of their own, place and etag are never stored. */
export const evalLog = object('EvalLog', {
  version: optional(integer),
  status: optional(oneOf('started', 'success', 'cancelled', 'error')),
  eval: evalSpec,
  plan: optional(evalPlan),
  results: maybe(evalResults),
  stats: optional(evalStats),
  error: maybe(evalError),
  invalidated: optional(flag),
  log_updates: maybe(listOf(logUpdate)),
  config_updates: maybe(listOf(configUpdate)),
  tags: optional(listOf(text)),
  metadata: optional(recordOf(anything)),
});
