import { generateConfig, sandboxEnvironmentSpec, toolFunction, toolInfo } from './config-shapes.ts';
import {
  chatMessage,
  contentAudio,
  contentDocument,
  contentImage,
  contentText,
  contentVideo,
  toolCall,
  toolCallContent,
  toolCallError,
  toolCallView,
} from './message-shapes.ts';
import { modelCall, modelOutput, modelRequestId, modelUsage } from './model-shapes.ts';
import { evalError, score, scoreEdit } from './score-shapes.ts';
import {
  anyOf,
  anything,
  event,
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
  tagged,
  text,
  time,
  tuple,
} from './shape.ts';

export const sample = object('Sample', {
  input: anyOf(text, listOf(chatMessage)),
  choices: maybe(listOf(text)),
  target: optional(anyOf(text, listOf(text))),
  id: maybe(anyOf(integer, text)),
  description: maybe(text),
  metadata: maybe(recordOf(anything)),
  sandbox: maybe(sandboxEnvironmentSpec),
  files: maybe(recordOf(text)),
  setup: maybe(text),
  checkpoint: maybe(passed('CheckpointSampleConfig')),
});

export const sampleInitEvent = event('SampleInitEvent', {
  event: oneOf('sample_init'),
  sample,
  state: optional(anything),
});

export const sampleLimitEvent = event('SampleLimitEvent', {
  event: oneOf('sample_limit'),
  type: oneOf('message', 'time', 'working', 'token', 'turn', 'cost', 'operator', 'custom'),
  message: text,
  limit: maybe(number),
});

export const sandboxEvent = event('SandboxEvent', {
  event: oneOf('sandbox'),
  action: oneOf('exec', 'read_file', 'write_file'),
  cmd: maybe(text),
  options: maybe(recordOf(anything)),
  file: maybe(text),
  input: maybe(text),
  result: maybe(integer),
  output: maybe(text),
  completed: maybe(time),
});

export const jsonChange = object('JsonChange', {
  op: oneOf('remove', 'add', 'replace', 'move', 'test', 'copy'),
  path: text,
  from: maybe(text),
  value: optional(anything),
  replaced: optional(anything),
});

export const stateEvent = event('StateEvent', {
  event: oneOf('state'),
  changes: listOf(jsonChange),
});

export const storeEvent = event('StoreEvent', {
  event: oneOf('store'),
  changes: listOf(jsonChange),
});

export const modelEvent = event('ModelEvent', {
  event: oneOf('model'),
  model: text,
  role: maybe(text),
  requested_model: maybe(text),
  input: listOf(chatMessage),
  input_refs: maybe(listOf(tuple(integer, integer))),
  tools: listOf(toolInfo),
  tool_choice: anyOf(oneOf('auto', 'any', 'none'), toolFunction),
  config: generateConfig,
  output: modelOutput,
  retries: maybe(integer),
  request_ids: maybe(listOf(modelRequestId)),
  error: maybe(text),
  traceback: maybe(text),
  traceback_ansi: maybe(text),
  cache: maybe(oneOf('read', 'write')),
  call: maybe(modelCall),
  completed: maybe(time),
  working_time: maybe(number),
});

const resultPart = tagged('type', [contentText, contentImage, contentAudio, contentVideo, contentDocument]);

export const toolEvent = event('ToolEvent', {
  event: oneOf('tool'),
  type: oneOf('function'),
  id: text,
  function: text,
  arguments: recordOf(anything),
  view: maybe(toolCallContent),
  result: optional(anyOf(text, number, flag, resultPart, listOf(resultPart))),
  truncated: maybe(tuple(integer, integer)),
  error: maybe(toolCallError),
  events: optional(listOf(anything)),
  completed: maybe(time),
  working_time: maybe(number),
  agent: maybe(text),
  agent_span_id: maybe(text),
  failed: maybe(flag),
  message_id: maybe(text),
});

export const anchorEvent = event('AnchorEvent', {
  event: oneOf('anchor'),
  anchor_id: text,
  source: maybe(text),
});

export const approvalEvent = event('ApprovalEvent', {
  event: oneOf('approval'),
  message: text,
  call: toolCall,
  view: maybe(toolCallView),
  approver: text,
  decision: oneOf('approve', 'modify', 'reject', 'escalate', 'terminate'),
  modified: maybe(toolCall),
  explanation: maybe(text),
});

export const reviewEvent = event('ReviewEvent', {
  event: oneOf('review'),
  message: text,
  call: toolCall,
  reviewer: text,
  decision: oneOf('continue', 'terminate', 'escalate'),
  explanation: maybe(text),
});

export const sentinelEvent = event('SentinelEvent', {
  event: oneOf('sentinel'),
  factory: text,
  path: text,
  function: maybe(text),
  step_id: text,
  conversation: text,
  stage: oneOf('model_input', 'model_output', 'tool_call', 'tool_result'),
  kind: oneOf('observation', 'decision'),
  status: oneOf('reported', 'cancelled', 'bypassed', 'superseded', 'error'),
  suspicion: maybe(anyOf(number, recordOf(number))),
  action: maybe(oneOf('proceed', 'modify', 'reject', 'terminate', 'escalate')),
  audit: optional(flag),
  modified: maybe(toolCall),
  message: maybe(text),
  explanation: maybe(text),
  references: optional(listOf(passed('Reference'))),
  error: maybe(text),
});

export const branchEvent = event('BranchEvent', {
  event: oneOf('branch'),
  from_anchor: optional(text),
});

export const checkpointEvent = event('CheckpointEvent', {
  checkpoint_id: integer,
  trigger: oneOf('time', 'turn', 'manual', 'token', 'cost', 'budget', 'agent_complete'),
  trigger_metadata: maybe(recordOf(anything)),
  turn: integer,
  created_at: time,
  duration_ms: integer,
  size_bytes: integer,
  host: passed('SnapshotDetails'),
  sandboxes: optional(recordOf(passed('SnapshotDetails'))),
  event: oneOf('checkpoint'),
});

export const compactionEvent = event('CompactionEvent', {
  event: oneOf('compaction'),
  type: optional(oneOf('summary', 'edit', 'trim')),
  role: maybe(text),
  tokens_before: maybe(integer),
  tokens_after: maybe(integer),
  source: maybe(text),
});

export const inputField = object('InputField', {
  name: text,
  type: oneOf('string', 'integer', 'number', 'boolean', 'array'),
  description: maybe(text),
});

export const inputEvent = event('InputEvent', {
  event: oneOf('input'),
  input: text,
  input_ansi: text,
  message: maybe(text),
  fields: maybe(listOf(inputField)),
  outcome: maybe(oneOf('accepted', 'declined', 'cancelled')),
  content: maybe(recordOf(anything)),
});

export const interruptEvent = event('InterruptEvent', {
  event: oneOf('interrupt'),
  source: oneOf('user_cancel', 'limit', 'system'),
  interrupted: oneOf('generate', 'tool_call', 'between_turns'),
  interrupted_tool_call_id: maybe(text),
  interrupted_model_event_id: maybe(text),
});

export const scoreEvent = event('ScoreEvent', {
  event: oneOf('score'),
  score,
  target: maybe(anyOf(text, listOf(text))),
  intermediate: optional(flag),
  scorer: maybe(text),
  scorer_args: maybe(recordOf(anything)),
  model_usage: maybe(recordOf(modelUsage)),
  role_usage: maybe(recordOf(modelUsage)),
});

export const scoreEditEvent = event('ScoreEditEvent', {
  event: oneOf('score_edit'),
  score_name: text,
  edit: scoreEdit,
});

export const errorEvent = event('ErrorEvent', {
  event: oneOf('error'),
  error: evalError,
});

export const loggingMessage = object('LoggingMessage', {
  name: maybe(text),
  level: oneOf('debug', 'trace', 'http', 'sandbox', 'info', 'warning', 'error', 'critical'),
  message: text,
  created: number,
  filename: optional(text),
  module: optional(text),
  lineno: optional(integer),
});

export const loggerEvent = event('LoggerEvent', {
  event: oneOf('logger'),
  message: loggingMessage,
});

export const infoEvent = event('InfoEvent', {
  event: oneOf('info'),
  source: maybe(text),
  data: anything,
});

export const spanBeginEvent = event('SpanBeginEvent', {
  event: oneOf('span_begin'),
  id: text,
  parent_id: maybe(text),
  type: maybe(text),
  name: text,
});

export const spanEndEvent = event('SpanEndEvent', {
  event: oneOf('span_end'),
  id: text,
});

export const stepEvent = event('StepEvent', {
  event: oneOf('step'),
  action: oneOf('begin', 'end'),
  type: maybe(text),
  name: text,
});

export const subtaskEvent = event('SubtaskEvent', {
  event: oneOf('subtask'),
  name: text,
  type: maybe(text),
  input: recordOf(anything),
  result: optional(anything),
  events: optional(listOf(anything)),
  completed: maybe(time),
  working_time: maybe(number),
});

export const logEvent = tagged('event', [
  sampleInitEvent,
  sampleLimitEvent,
  sandboxEvent,
  stateEvent,
  storeEvent,
  modelEvent,
  toolEvent,
  anchorEvent,
  approvalEvent,
  reviewEvent,
  sentinelEvent,
  branchEvent,
  checkpointEvent,
  compactionEvent,
  inputEvent,
  interruptEvent,
  scoreEvent,
  scoreEditEvent,
  errorEvent,
  loggerEvent,
  infoEvent,
  spanBeginEvent,
  spanEndEvent,
  stepEvent,
  subtaskEvent,
]);
