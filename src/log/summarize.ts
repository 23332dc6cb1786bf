import { isJsonArray, isJsonObject, type Json, type JsonObject, jsonText } from '../base/index.ts';
import { prettyJson } from './pretty-json.ts';
import type { EvalSampleSummary, SampleFields, Score } from './schema.ts';

const TEXT_CODE_POINTS_MAX = 5_120;
const SHORT_CODE_POINTS_MAX = 1_024;
const TRUNCATED = '...\n(content truncated)';
const REMOVED = 'Key removed from summary (> 1k)';

/** The row that lists show for a sample, thinned as Inspect thins it: enough to choose by, small enough to list [LOG-8]. */
export function summarize(fields: SampleFields): EvalSampleSummary {
  return defined({
    id: fields.id,
    epoch: fields.epoch,
    input: thinInput(fields.input as Json) as string | readonly Json[],
    choices: fields.choices,
    target: thinTarget(fields.target),
    metadata: thinMetadata(fields.metadata ?? {}),
    scores: fields.scores && thinScores(fields.scores),
    model_usage: fields.model_usage ?? {},
    role_usage: fields.role_usage ?? {},
    model_fallbacks: fields.model_fallbacks,
    started_at: fields.started_at,
    completed_at: fields.completed_at,
    total_time: fields.total_time,
    working_time: fields.working_time,
    uuid: fields.uuid,
    error: fields.error?.message,
    limit: fields.limit?.type,
    retries: fields.error_retries?.length,
    completed: true,
    message_count: fields.messages?.length,
    turn_count: fields.turn_count,
    token_limit: fields.token_limit,
    token_limit_type: fields.token_limit_type,
    token_limit_usage: fields.token_limit_usage,
  });
}

function thinTarget(target: Json): string | readonly string[] {
  if (isJsonArray(target)) return target.map((item) => truncate(jsonText(item)));
  return typeof target === 'string' ? truncate(target) : '';
}

function thinInput(input: Json): Json {
  if (typeof input === 'string') return truncate(input);
  if (!isJsonArray(input)) return '';
  return input.map((message) =>
    isJsonObject(message) ? { ...message, content: thinContent(message.content ?? '') } : message,
  );
}

function thinContent(content: Json): Json {
  if (typeof content === 'string') return truncate(content);
  if (!isJsonArray(content)) return '';
  return content.map((part) => {
    if (!isJsonObject(part)) return part;
    if (part.type === 'text' && typeof part.text === 'string')
      return { type: 'text', text: truncate(part.text) };
    const kind = jsonText(part.type);
    return { type: 'text', text: `(${kind.charAt(0).toUpperCase()}${kind.slice(1)})` };
  });
}

function thinScores(scores: Readonly<Record<string, Score>>): Record<string, Score> {
  return Object.fromEntries(Object.entries(scores).map(([name, score]) => [name, thinScore(score)]));
}

function thinScore(score: Score): Score {
  if (!isJsonObject(score)) return { value: null };
  return defined({
    ...score,
    answer: typeof score.answer === 'string' ? shorten(score.answer) : score.answer,
    explanation: typeof score.explanation === 'string' ? shorten(score.explanation) : score.explanation,
    metadata: isJsonObject(score.metadata) ? thinMetadata(score.metadata) : score.metadata,
    history: [],
  });
}

function thinMetadata(metadata: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(metadata).map(([key, value]) => [key, value === undefined ? value : thinValue(value)]),
  );
}

function thinValue(value: Json): Json {
  if (typeof value === 'string') return shorten(value);
  if (typeof value !== 'object' || value === null) return value;
  return prettyJson(value).length > SHORT_CODE_POINTS_MAX ? REMOVED : value;
}

function truncate(text: string): string {
  const start = firstCodePoints(text, TEXT_CODE_POINTS_MAX);
  return start.length < text.length ? start + TRUNCATED : text;
}

/** Whitespace is collapsed; beyond the limit whole words are dropped from the end. */
function shorten(text: string): string {
  // A text far beyond the limit is cut first, so that 200 MB are not collapsed for the sake of one line.
  const collapsed = text
    .slice(0, 64 * SHORT_CODE_POINTS_MAX)
    .trim()
    .replace(/\s+/g, ' ');
  const isWhole = text.length <= 64 * SHORT_CODE_POINTS_MAX;
  if (isWhole && firstCodePoints(collapsed, SHORT_CODE_POINTS_MAX) === collapsed) return collapsed;
  const room = firstCodePoints(collapsed, SHORT_CODE_POINTS_MAX - 2);
  const lastSpace = room.lastIndexOf(' ');
  return `${lastSpace > 0 ? room.slice(0, lastSpace) : ''}...`;
}

function firstCodePoints(text: string, count: number): string {
  if (text.length <= count) return text;
  let end = 0;
  for (let counted = 0; counted < count && end < text.length; counted++) {
    end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  }
  return text.slice(0, end);
}

type Defined<T> = { [Key in keyof T]: Exclude<T[Key], undefined> };

function defined<T extends object>(value: T): Defined<T> {
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== undefined)) as Defined<T>;
}
