import {
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  parseJson,
  stringifyJson,
} from '../../base/index.ts';
import type { ChatMessage } from '../../log/index.ts';
import { textOf } from './agentv-rows.ts';

/**
 * The messages of a transcript: a line for each of them in version 4 (`role`, `content`, `tool_calls`), turns with blocks of content
 * in version 5, as lines or in one document. A call of a tool and its result are one thing there, and two messages here.
 */
export function readTranscript(text: string): readonly ChatMessage[] {
  return entriesIn(text).filter(isJsonObject).flatMap(messagesOf);
}

function entriesIn(text: string): readonly Json[] {
  const trimmed = text.trim();
  if (trimmed === '') return [];
  const lines = trimmed.split('\n');
  // One document spans lines, or has its turns in it; else each line is a document.
  const whole = lines.length === 1 || lines[0] === '{' ? parseJson(trimmed) : undefined;
  if (whole === undefined) return lines.filter((line) => line.trim() !== '').map((line) => parseJson(line));
  return isJsonObject(whole) && isJsonArray(whole.turns) ? whole.turns : [whole];
}

interface Call {
  readonly id: string;
  readonly name: string;
  readonly input: Json | undefined;
  readonly output: Json | undefined;
}

function messagesOf(entry: JsonObject): ChatMessage[] {
  const role = textOf(entry.role) ?? textOf(entry.type) ?? 'user';
  const blocks = isJsonArray(entry.content) ? entry.content.filter(isJsonObject) : [];
  const calls = [...callsIn(entry.tool_calls), ...callsIn(blocks.filter(({ type }) => type === 'tool_use'))];
  const model = textOf(entry.model);
  const message: ChatMessage = {
    role,
    content: contentOf(entry.content, blocks),
    ...(model === undefined || role !== 'assistant' ? {} : { model }),
    ...(calls.length === 0
      ? {}
      : {
          tool_calls: calls.map(({ id, name, input }) => ({
            id,
            function: name,
            arguments: argumentsOf(input),
          })),
        }),
  };
  const results = calls.flatMap(({ id, name, output }): ChatMessage[] =>
    output === undefined ? [] : [{ role: 'tool', content: asText(output), tool_call_id: id, function: name }],
  );
  return [message, ...results];
}

function contentOf(content: Json | undefined, blocks: readonly JsonObject[]): ChatMessage['content'] {
  if (typeof content === 'string') return content;
  if (!isJsonArray(content)) return content === undefined || content === null ? '' : asText(content);
  const parts = blocks.flatMap((block): JsonObject[] => {
    if (block.type === 'tool_use') return [];
    const text = textOf(block.text) ?? '';
    return [block.type === 'thinking' ? { type: 'reasoning', reasoning: text } : { type: 'text', text }];
  });
  const isPlain = parts.every(({ type }) => type === 'text');
  return isPlain ? parts.map(({ text }) => String(text)).join('\n') : parts;
}

function callsIn(calls: Json | undefined): readonly Call[] {
  if (calls === undefined || !isJsonArray(calls)) return [];
  return calls.filter(isJsonObject).map((call, at) => {
    const result = isJsonObject(call.result) ? call.result.output : call.result;
    return {
      id: textOf(call.id) ?? `call-${at + 1}`,
      name: textOf(call.name) ?? textOf(call.tool) ?? textOf(call.tool_name) ?? 'unknown',
      input: call.input,
      output: call.output ?? result,
    };
  });
}

function argumentsOf(input: Json | undefined): JsonObject {
  if (input === undefined) return {};
  return isJsonObject(input) ? input : { input };
}

function asText(value: Json): string {
  return typeof value === 'string' ? value : stringifyJson(value);
}
