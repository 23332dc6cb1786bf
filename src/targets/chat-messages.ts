/** The AI SDK's messages in Inspect's shape (spec 1.6), for the log. */
import { digestOfJson, isJsonObject, type Json, type JsonObject, jsonText, toJson } from '../base/index.ts';
import type { ChatMessage, ModelOutput } from '../log/index.ts';
import type { AnswerPart, FinishReason, Prompt, PromptMessage } from './language-model.ts';

/**
 * Message ids come from content: a message that is sent again with the next request is then the very same JSON, and is
 * stored once. Equal messages within one conversation are told apart by their number, and those of different samples by
 * the salt: Inspect's data frames take messages with one id for one message.
 */
export function chatMessagesOf(prompt: Prompt, salt: string): ChatMessage[] {
  return withIds(
    prompt.flatMap((message) => fromPromptMessage(message)),
    salt,
  );
}

/** The answer as the message that follows `input`. */
export function assistantMessageOf(
  parts: readonly AnswerPart[],
  {
    model,
    input,
    salt,
  }: { readonly model: string; readonly input: readonly ChatMessage[]; readonly salt: string },
): ChatMessage {
  const message = withIds([...input, assistant(parts)], salt).at(-1) as ChatMessage;
  return { ...message, source: 'generate', model };
}

export function userMessage(text: string, salt: string): ChatMessage {
  return withIds([{ role: 'user', content: text, source: 'input' }], salt)[0] as ChatMessage;
}

/** The output of a target that is no model, in the shape of a model's. */
export function plainOutput(model: string, text: string, salt: string): ModelOutput {
  const message = withIds([{ role: 'assistant', content: text }], salt)[0] as ChatMessage;
  return {
    model,
    choices: [{ message: { ...message, source: 'generate', model }, stop_reason: 'stop' }],
    completion: text,
  };
}

const STOP_REASONS: Readonly<Record<FinishReason, ModelOutput['choices'][number]['stop_reason']>> = {
  stop: 'stop',
  length: 'max_tokens',
  'content-filter': 'content_filter',
  'tool-calls': 'tool_calls',
  error: 'unknown',
  interrupted: 'unknown',
  other: 'unknown',
};

export function stopReasonOf(reason: FinishReason): ModelOutput['choices'][number]['stop_reason'] {
  return STOP_REASONS[reason] ?? 'unknown';
}

export function textOfMessage({ content }: ChatMessage): string {
  if (typeof content === 'string') return content;
  return content
    .filter((part) => part.type === 'text')
    .map((part) => String(part.text ?? ''))
    .join('\n');
}

function fromPromptMessage(message: PromptMessage): ChatMessage[] {
  switch (message.role) {
    case 'system':
      return [{ role: 'system', content: message.content }];
    case 'user':
      return [{ role: 'user', content: contentOf(message.content) }];
    case 'assistant':
      return [assistant(message.content)];
    case 'tool':
      return message.content.flatMap((part) => (part.type === 'tool-result' ? [toolMessage(part)] : []));
  }
}

type ToolCall = NonNullable<ChatMessage['tool_calls']>[number];
type MessagePart = AnswerPart | Exclude<PromptMessage['content'], string>[number];

function assistant(parts: readonly MessagePart[]): ChatMessage {
  const calls = parts.filter((part) => part.type === 'tool-call' && !part.providerExecuted);
  const rest = parts.filter((part) => !calls.includes(part) && part.type !== 'tool-approval-request');
  return {
    role: 'assistant',
    content: contentOf(rest),
    ...(calls.length > 0 && { tool_calls: calls.flatMap(toolCallOf) }),
  };
}

function toolCallOf(part: MessagePart): ToolCall[] {
  if (part.type !== 'tool-call') return [];
  const { input, parseError } = argumentsOf(part.input);
  return [
    {
      id: textIn(part.toolCallId),
      function: textIn(part.toolName),
      arguments: input,
      ...(parseError !== undefined && { parse_error: parseError }),
      type: 'function',
    },
  ];
}

/** In an answer the arguments are JSON text, which a model may get wrong; in a prompt they are a value. */
function argumentsOf(input: unknown): { readonly input: JsonObject; readonly parseError?: string } {
  if (typeof input !== 'string') return { input: asObject(toJson(input)) };
  if (input.trim() === '') return { input: {} };
  try {
    return { input: asObject(JSON.parse(input) as Json) };
  } catch {
    // The text is kept as it came: what a model got wrong is worth seeing.
    return { input: { raw: input }, parseError: 'The arguments are not valid JSON.' };
  }
}

function asObject(value: Json): JsonObject {
  return isJsonObject(value) ? value : { value };
}

type ToolResultPart = Extract<MessagePart, { readonly type: 'tool-result'; readonly output: unknown }>;

function toolMessage(part: ToolResultPart): ChatMessage {
  const { output } = part;
  const isError =
    output.type === 'error-text' || output.type === 'error-json' || output.type === 'execution-denied';
  const content = toolContent(output);
  return {
    role: 'tool',
    content,
    tool_call_id: part.toolCallId,
    function: part.toolName,
    ...(isError && {
      error: {
        type: output.type === 'execution-denied' ? 'approval' : 'unknown',
        message: typeof content === 'string' ? content : JSON.stringify(content),
      },
    }),
  };
}

function toolContent(output: ToolResultPart['output']): string | readonly JsonObject[] {
  switch (output.type) {
    case 'text':
    case 'error-text':
      return output.value;
    case 'json':
    case 'error-json':
      return JSON.stringify(output.value);
    case 'execution-denied':
      return output.reason ?? 'The call was denied.';
    case 'content':
      return output.value.map((item) => {
        if (item.type === 'text') return { type: 'text', text: item.text };
        if (item.type === 'file') return fileContent(item.mediaType, item.data, item.filename);
        return { type: 'data', data: asObject(toJson(item)) };
      });
  }
}

/** Plain text stays a plain string, as Inspect writes it. */
function contentOf(parts: readonly MessagePart[]): string | readonly JsonObject[] {
  const contents = parts.map(contentPart);
  if (contents.length === 0) return '';
  const [only] = contents;
  if (contents.length === 1 && only?.type === 'text') return String(only.text);
  return contents;
}

function contentPart(part: MessagePart): JsonObject {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: textIn(part.text) };
    case 'reasoning':
      return { type: 'reasoning', reasoning: textIn(part.text), redacted: false };
    case 'file':
    case 'reasoning-file':
      return fileContent(part.mediaType, part.data, 'filename' in part ? part.filename : undefined);
    default:
      return { type: 'data', data: asObject(toJson(part)) };
  }
}

/** Providers are others' code: what should be a text may be anything, and the log holds a text. */
function textIn(value: unknown): string {
  return typeof value === 'string' ? value : value == null ? '' : jsonText(toJson(value));
}

type FileData = Extract<MessagePart, { readonly type: 'file' }>['data'];

function fileContent(given: string, data: FileData, filename?: string): JsonObject {
  const mediaType = textIn(given) || 'application/octet-stream';
  const address = addressOf(mediaType, data);
  const [kind = '', format = ''] = mediaType.split('/');
  if (kind === 'image') return { type: 'image', image: address, detail: 'auto' };
  if (kind === 'audio' && /^(?:wav|mp3|mpeg|x-wav)$/.test(format)) {
    return { type: 'audio', audio: address, format: format.endsWith('wav') ? 'wav' : 'mp3' };
  }
  if (kind === 'video' && /^(?:mp4|mpeg|quicktime)$/.test(format)) {
    return { type: 'video', video: address, format: format === 'quicktime' ? 'mov' : format };
  }
  return {
    type: 'document',
    document: address,
    filename: filename ?? '',
    mime_type: mediaType,
    citations: false,
  };
}

function addressOf(mediaType: string, given: FileData): string {
  const data = fileData(given);
  switch (data.type) {
    case 'url':
      return data.originalUrl ?? data.url.href;
    case 'data': {
      const base64 = typeof data.data === 'string' ? data.data : Buffer.from(data.data).toString('base64');
      return `data:${mediaType};base64,${base64}`;
    }
    case 'text':
      return `data:${mediaType};base64,${Buffer.from(data.text).toString('base64')}`;
    case 'reference':
      return JSON.stringify(data.reference);
  }
}

/** Models of earlier versions of the AI SDK give the bare bytes, their base64 or a URL. */
function fileData(given: FileData | string | Uint8Array | URL): FileData {
  if (given instanceof URL) return { type: 'url', url: given };
  if (typeof given === 'string' || given instanceof Uint8Array) return { type: 'data', data: given };
  return given;
}

/** As long as Inspect's ids. */
const ID_LENGTH = 22;

function withIds(messages: readonly ChatMessage[], salt: string): ChatMessage[] {
  const seen = new Map<string, number>();
  return messages.map((message) => {
    if (message.id !== undefined) {
      seen.set(message.id, 1);
      return message;
    }
    const { role, content, tool_calls = [], tool_call_id = null } = message;
    const digest = digestOfJson({ salt, role, content, tool_calls: toJson(tool_calls), tool_call_id });
    let id = digest.slice(0, ID_LENGTH);
    for (let number = 2; seen.has(id); number++) {
      id = digestOfJson([digest, number]).slice(0, ID_LENGTH);
    }
    seen.set(id, 1);
    return { id, ...message };
  });
}
