import type { ChatMessage, LogEvent, ModelOutput, ModelUsage, ToolCall } from '../schema.ts';
import { anyOf, asText, flag, type Kind, listOf, number, record, soundRecordOf, text } from './kind.ts';
import { objectOf, optional, otherwise, vitalOr } from './object-kind.ts';

export const modelUsage = objectOf<ModelUsage>({
  input_tokens: otherwise(number, 0),
  output_tokens: otherwise(number, 0),
  total_tokens: otherwise(number, 0),
  input_tokens_cache_write: optional(number),
  input_tokens_cache_read: optional(number),
  reasoning_tokens: optional(number),
  total_cost: optional(number),
});

/** By model or by role. What is no usage is left out: that of the others counts. */
export const usageByName = soundRecordOf(modelUsage);

const toolCall = objectOf<ToolCall>({
  id: otherwise(asText, ''),
  function: otherwise(asText, ''),
  arguments: otherwise(record, {}),
  parse_error: optional(asText),
  type: optional(text),
});

export const chatMessage = objectOf<ChatMessage>({
  id: optional(asText),
  role: text,
  content: otherwise(anyOf(anyOf(text, listOf(record)), asText), ''),
  source: optional(text),
  metadata: optional(record),
  tool_calls: optional(listOf(toolCall)),
  model: optional(asText),
  tool_call_id: optional(anyOf(text, listOf(text))),
  function: optional(asText),
  error: optional(record),
});

export const chatMessages: Kind<readonly ChatMessage[]> = listOf(chatMessage);

export const modelOutput = objectOf<ModelOutput>({
  model: optional(asText),
  choices: vitalOr(
    listOf(
      objectOf<ModelOutput['choices'][number]>({
        message: chatMessage,
        stop_reason: otherwise(text, 'unknown'),
      }),
    ),
    [],
  ),
  completion: optional(asText),
  usage: optional(modelUsage),
  time: optional(number),
  metadata: optional(record),
  error: optional(asText),
});

export const logEvent = objectOf<LogEvent>({
  event: otherwise(text, ''),
  uuid: optional(text),
  span_id: optional(text),
  timestamp: optional(text),
  working_start: optional(number),
  metadata: optional(record),
  pending: optional(flag),
});
