/**
 * Recognises calls to models in HTTP requests that somebody's own SDK makes, and reads the bill in their responses: those of
 * OpenAI (chat and responses) and whoever speaks its language, Anthropic and Gemini, whole or as a stream of events.
 */
import { isJsonArray, isJsonObject, type Json, type JsonObject, tryParseJson } from '../base/index.ts';
import type { ModelUsage } from '../log/index.ts';
import { type SentRequest, textOfBytes } from './sent-request.ts';

export interface ModelTraffic {
  /** As prices know it: `openai/gpt-5`. */
  readonly name: string;
  /** True for a question to a chat model: a turn of the sample. */
  readonly isTurn: boolean;
  readonly messageCount: number;
}

/** Undefined for what does not look like a call to a model. */
export function readModelRequest(request: SentRequest): ModelTraffic | undefined {
  const { pathname, hostname } = new URL(request.url);
  const body = request.body && tryParseJson(textOfBytes(request.body) ?? '');
  if (!isJsonObject(body)) return undefined;
  const gemini = /models\/([^/:]+):(stream)?generateContent$/i.exec(pathname)?.[1];
  if (gemini !== undefined)
    return { name: `google/${gemini}`, isTurn: true, messageCount: countOf(body.contents) };
  if (typeof body.model !== 'string') return undefined;
  const asked = body.messages ?? body.input ?? body.prompt;
  const isTurn = asked !== undefined && !/\/(embeddings|moderations|rerank)$/.test(pathname);
  const isAnthropic = 'anthropic-version' in request.headers;
  const provider = isAnthropic ? 'anthropic' : hostname === 'api.openai.com' ? 'openai' : 'openai-compatible';
  const instructions = body.system ?? body.instructions;
  return {
    name: `${provider}/${body.model}`,
    isTurn,
    messageCount: countOf(asked) + (instructions === undefined ? 0 : 1),
  };
}

/** Undefined when the response says nothing of it. */
export function readUsageOf(text: string): ModelUsage | undefined {
  const found: Record<string, Json | undefined> = {};
  // A stream says a part at its begin and the rest at its end; what comes later counts.
  for (const part of partsOf(text)) Object.assign(found, billIn(part));
  return geminiUsage(found) ?? chatUsage(found) ?? tokensUsage(found);
}

function* partsOf(text: string): Iterable<Json | undefined> {
  const whole = tryParseJson(text);
  if (isJsonArray(whole)) yield* whole;
  else if (whole !== undefined) yield whole;
  else for (const [, data = ''] of text.matchAll(/^data: ?(.*)$/gm)) yield tryParseJson(data);
}

function billIn(part: Json | undefined): JsonObject {
  if (!isJsonObject(part)) return {};
  const owner = [part, part.response, part.message].find(
    (item) => isJsonObject(item) && (isJsonObject(item.usage) || isJsonObject(item.usageMetadata)),
  );
  const bill = isJsonObject(owner) ? (owner.usage ?? owner.usageMetadata) : undefined;
  if (!isJsonObject(bill)) return {};
  return Object.fromEntries(Object.entries(bill).filter(([, value]) => value !== null));
}

function chatUsage(bill: JsonObject): ModelUsage | undefined {
  if (typeof bill.prompt_tokens !== 'number') return undefined;
  const cached = numberIn(bill.prompt_tokens_details, 'cached_tokens');
  return usageOf({
    input: bill.prompt_tokens - cached,
    read: cached,
    output: numberIn(bill, 'completion_tokens'),
    reasoning: numberIn(bill.completion_tokens_details, 'reasoning_tokens'),
  });
}

/** OpenAI counts what came from the cache as input, and says so in details; Anthropic counts it apart. */
function tokensUsage(bill: JsonObject): ModelUsage | undefined {
  if (typeof bill.input_tokens !== 'number') return undefined;
  const cached = numberIn(bill.input_tokens_details, 'cached_tokens');
  return usageOf({
    input: bill.input_tokens - cached,
    read: cached + numberIn(bill, 'cache_read_input_tokens'),
    write: numberIn(bill, 'cache_creation_input_tokens'),
    output: numberIn(bill, 'output_tokens'),
    reasoning: numberIn(bill.output_tokens_details, 'reasoning_tokens'),
  });
}

function geminiUsage(bill: JsonObject): ModelUsage | undefined {
  if (typeof bill.promptTokenCount !== 'number') return undefined;
  const cached = numberIn(bill, 'cachedContentTokenCount');
  const thoughts = numberIn(bill, 'thoughtsTokenCount');
  return usageOf({
    input: bill.promptTokenCount - cached,
    read: cached,
    output: numberIn(bill, 'candidatesTokenCount') + thoughts,
    reasoning: thoughts,
  });
}

function usageOf(tokens: {
  readonly input: number;
  readonly output: number;
  readonly read: number;
  readonly write?: number;
  readonly reasoning: number;
}): ModelUsage {
  const { output, read, write = 0, reasoning } = tokens;
  const input = Math.max(0, tokens.input);
  return {
    input_tokens: input,
    output_tokens: output,
    total_tokens: input + output + read + write,
    ...(write > 0 && { input_tokens_cache_write: write }),
    ...(read > 0 && { input_tokens_cache_read: read }),
    ...(reasoning > 0 && { reasoning_tokens: reasoning }),
  };
}

function countOf(list: Json | undefined): number {
  return isJsonArray(list) ? list.length : 1;
}

function numberIn(value: Json | undefined, key: string): number {
  const found = isJsonObject(value) ? value[key] : undefined;
  return typeof found === 'number' && Number.isFinite(found) ? found : 0;
}
