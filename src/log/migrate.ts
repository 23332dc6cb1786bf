import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../base/index.ts';

/** Under this name Inspect keeps a score whose scorer is only known from the header. */
const SCORE_WITHOUT_NAME = '88F74D2C';

/** Brings the fields of a sample to the names of today [LOG-22]. */
export function migrateFields(fields: JsonObject, scorerName: string | undefined): JsonObject {
  const { score, transcript: _1, events_data: _2, ...rest } = fields;
  const result: Record<string, Json | undefined> = { ...rest };
  if (isJsonObject(score) && !isJsonObject(rest.scores)) {
    result.scores = { [scorerName ?? SCORE_WITHOUT_NAME]: score };
  }
  if (isJsonArray(rest.sandbox)) result.sandbox = migrateSandbox(rest.sandbox);
  if (isJsonArray(rest.messages)) result.messages = rest.messages.map(migrateMessage);
  if (isJsonArray(rest.input)) result.input = rest.input.map(migrateMessage);
  return result;
}

export function migrateEvent(event: Json): JsonObject | undefined {
  if (!isJsonObject(event)) return undefined;
  switch (event.event) {
    case 'model':
      return isJsonArray(event.input) ? { ...event, input: event.input.map(migrateMessage) } : event;
    case 'score':
      return migrateScoreEvent(event);
    case 'branch':
      return migrateBranch(event);
    case 'sample_init':
      return migrateInit(event);
    default:
      return event;
  }
}

/** Results of the first logs had one scorer, and held the reductions. */
export function migrateResults(results: Json | undefined): Json | undefined {
  if (!isJsonObject(results)) return results ?? undefined;
  const { scorer, metrics, sample_reductions: _, ...rest } = results;
  if (rest.scores !== undefined || !isJsonObject(scorer)) return rest;
  return { ...rest, scores: [{ ...scorer, scorer: scorer.name ?? '', metrics: metrics ?? {} }] };
}

/** Holdfast 0.1.0 wrote changes of its limits with ISO times and with a reason that nobody else knows. */
export function migrateStats(stats: JsonObject): JsonObject {
  const { connection_limit_history: history } = stats;
  if (!isJsonArray(history)) return stats;
  return { ...stats, connection_limit_history: history.map(migrateLimitChange) };
}

function migrateLimitChange(change: Json): Json {
  if (!isJsonObject(change) || typeof change.timestamp !== 'string') return change;
  const reason = change.reason === 'success' ? 'steady_state_up' : change.reason;
  return { ...change, timestamp: Date.parse(change.timestamp) / 1_000, reason };
}

export function migrateSpec(spec: JsonObject): JsonObject {
  // Logs of before arguments were told apart have only one list of them.
  const task_args_passed = spec.task_args_passed ?? spec.task_args;
  const result: Record<string, Json | undefined> = { ...spec, task_args_passed };
  if (isJsonArray(spec.sandbox)) result.sandbox = migrateSandbox(spec.sandbox);
  if (isJsonObject(spec.config) && spec.config.max_messages !== undefined) {
    const { max_messages, ...config } = spec.config;
    result.config = { message_limit: max_messages, ...config };
  }
  return result;
}

function migrateMessage(message: Json): Json {
  if (!isJsonObject(message) || message.tool_error === undefined) return message;
  const { tool_error, ...rest } = message;
  if (typeof tool_error !== 'string' || isJsonObject(rest.error)) return rest;
  return { ...rest, error: { type: 'unknown', message: tool_error } };
}

function migrateScoreEvent(event: JsonObject): JsonObject {
  if (!isJsonObject(event.score) || (event.score.value ?? null) !== null) return event;
  return { ...event, score: { ...event.score, value: Number.NaN } };
}

function migrateBranch(event: JsonObject): JsonObject {
  if (event.from_message === undefined) return event;
  const { from_message, ...rest } = event;
  return { from_anchor: from_message, ...rest };
}

function migrateInit(event: JsonObject): JsonObject {
  if (!isJsonObject(event.sample) || !isJsonArray(event.sample.sandbox)) return event;
  return { ...event, sample: { ...event.sample, sandbox: migrateSandbox(event.sample.sandbox) } };
}

function migrateSandbox(sandbox: readonly Json[]): Json {
  const [type, config] = sandbox;
  return config === undefined || config === null ? { type: type ?? '' } : { type: type ?? '', config };
}
