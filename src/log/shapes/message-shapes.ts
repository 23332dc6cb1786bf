import {
  anyOf,
  anything,
  flag,
  integer,
  listOf,
  maybe,
  object,
  oneOf,
  optional,
  recordOf,
  tagged,
  text,
} from './shape.ts';

export const contentCitation = object('ContentCitation', {
  cited_text: maybe(anyOf(text, listOf(integer))),
  title: maybe(text),
  internal: maybe(recordOf(anything)),
  type: oneOf('content'),
});

export const documentRange = object('DocumentRange', {
  type: oneOf('block', 'page', 'char'),
  start_index: integer,
  end_index: integer,
});

export const documentCitation = object('DocumentCitation', {
  cited_text: maybe(anyOf(text, listOf(integer))),
  title: maybe(text),
  internal: maybe(recordOf(anything)),
  type: oneOf('document'),
  range: maybe(documentRange),
});

export const urlCitation = object('UrlCitation', {
  cited_text: maybe(anyOf(text, listOf(integer))),
  title: maybe(text),
  internal: maybe(recordOf(anything)),
  type: oneOf('url'),
  url: text,
});

export const contentText = object('ContentText', {
  internal: maybe(anything),
  type: oneOf('text'),
  text,
  refusal: maybe(flag),
  citations: maybe(listOf(tagged('type', [contentCitation, documentCitation, urlCitation]))),
  cache_breakpoint: maybe(flag),
});

export const contentReasoning = object('ContentReasoning', {
  internal: maybe(anything),
  type: oneOf('reasoning'),
  reasoning: text,
  summary: maybe(text),
  signature: maybe(text),
  redacted: optional(flag),
});

export const contentImage = object('ContentImage', {
  internal: maybe(anything),
  type: oneOf('image'),
  image: text,
  detail: optional(oneOf('auto', 'low', 'high', 'original')),
});

export const contentAudio = object('ContentAudio', {
  internal: maybe(anything),
  type: oneOf('audio'),
  audio: text,
  format: oneOf('wav', 'mp3'),
});

export const contentVideo = object('ContentVideo', {
  internal: maybe(anything),
  type: oneOf('video'),
  video: text,
  format: oneOf('mp4', 'mpeg', 'mov'),
});

export const contentData = object('ContentData', {
  internal: maybe(anything),
  type: oneOf('data'),
  data: recordOf(anything),
});

export const contentToolUse = object('ContentToolUse', {
  internal: maybe(anything),
  type: oneOf('tool_use'),
  tool_type: oneOf('web_search', 'mcp_call', 'code_execution'),
  id: text,
  name: text,
  context: maybe(text),
  arguments: text,
  result: text,
  error: maybe(text),
});

export const contentDocument = object('ContentDocument', {
  internal: maybe(anything),
  type: oneOf('document'),
  document: text,
  filename: optional(text),
  mime_type: optional(text),
  citations: optional(flag),
});

export const content = tagged('type', [
  contentText,
  contentReasoning,
  contentImage,
  contentAudio,
  contentVideo,
  contentData,
  contentToolUse,
  contentDocument,
]);

export const toolCallContent = object('ToolCallContent', {
  title: maybe(text),
  format: oneOf('text', 'markdown'),
  content: optional(text),
});

export const toolCallView = object('ToolCallView', {
  context: maybe(toolCallContent),
  call: maybe(toolCallContent),
});

export const toolCall = object('ToolCall', {
  id: text,
  function: text,
  arguments: recordOf(anything),
  parse_error: maybe(text),
  view: maybe(toolCallContent),
  type: optional(oneOf('function', 'custom')),
});

export const toolCallError = object('ToolCallError', {
  type: oneOf(
    'parsing',
    'timeout',
    'unicode_decode',
    'permission',
    'file_not_found',
    'is_a_directory',
    'limit',
    'approval',
    'cancelled',
    'sandbox_unavailable',
    'unknown',
    'output_limit',
  ),
  message: text,
});

export const chatMessageSystem = object('ChatMessageSystem', {
  id: maybe(text),
  content: anyOf(text, listOf(content)),
  source: maybe(oneOf('input', 'generate', 'operator')),
  metadata: maybe(recordOf(anything)),
  role: oneOf('system'),
});

export const chatMessageUser = object('ChatMessageUser', {
  id: maybe(text),
  content: anyOf(text, listOf(content)),
  source: maybe(oneOf('input', 'generate', 'operator')),
  metadata: maybe(recordOf(anything)),
  role: oneOf('user'),
  tool_call_id: maybe(listOf(text)),
});

export const chatMessageAssistant = object('ChatMessageAssistant', {
  id: maybe(text),
  content: anyOf(text, listOf(content)),
  source: maybe(oneOf('input', 'generate', 'operator')),
  metadata: maybe(recordOf(anything)),
  role: oneOf('assistant'),
  tool_calls: maybe(listOf(toolCall)),
  model: maybe(text),
});

export const chatMessageTool = object('ChatMessageTool', {
  id: maybe(text),
  content: anyOf(text, listOf(content)),
  source: maybe(oneOf('input', 'generate', 'operator')),
  metadata: maybe(recordOf(anything)),
  role: oneOf('tool'),
  tool_call_id: maybe(text),
  function: maybe(text),
  error: maybe(toolCallError),
});

export const chatMessage = tagged('role', [
  chatMessageSystem,
  chatMessageUser,
  chatMessageAssistant,
  chatMessageTool,
]);
