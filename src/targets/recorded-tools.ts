import { digestOfJson, isJsonObject, isoTime, type Json, messageOf, toJson } from '../base/index.ts';
import type { LogEvent } from '../log/index.ts';
import { type EventStart, finishEvent, secondsSince, startEvent } from './log-event.ts';
import type { PaidRequest } from './recorder.ts';
import type { Redaction } from './redaction.ts';
import type { SampleScope } from './sample-scope.ts';
import { decodeValue, encodeValue } from './value-codec.ts';

/** Tools as users give them: what the AI SDK's `tool()` makes. */
export type Tools = Readonly<Record<string, unknown>>;

/**
 * Declares that a tool's result depends on its input alone and that calling it changes nothing. Only then may a resumed
 * sample take the recorded result instead of calling it again.
 */
export function pureTool<T extends object>(tool: T): T & { readonly pure: true } {
  return Object.assign(Object.create(Object.getPrototypeOf(tool)), tool, { pure: true as const });
}

/** The same tools, each leaving an event of every call; results of pure tools are recorded and replayed. */
export function recordedTools(tools: Tools, scope: SampleScope, redaction?: Redaction): Tools {
  return Object.fromEntries(
    Object.entries(tools).map(([name, tool]) => [
      name,
      isExecutable(tool) ? recordedTool(name, redacted(tool, redaction), scope) : tool,
    ]),
  );
}

interface ExecutableTool {
  readonly pure?: boolean;
  readonly execute: (input: unknown, options: ToolCallOptions) => unknown;
}

interface ToolCallOptions {
  readonly toolCallId: string;
}

interface ToolRun {
  readonly name: string;
  readonly input: unknown;
  readonly id: string;
  readonly start: EventStart;
}

function isExecutable(tool: unknown): tool is ExecutableTool {
  return typeof tool === 'object' && tool !== null && typeof Reflect.get(tool, 'execute') === 'function';
}

/** What a tool gives is redacted before the model sees it [RED-2]. */
function redacted(tool: ExecutableTool, redaction: Redaction | undefined): ExecutableTool {
  if (!redaction?.isOn) return tool;
  const execute = async (input: unknown, options: ToolCallOptions) =>
    redaction.value({ data: await lastOf(await tool.execute(input, options)) }).data;
  // Its digest is that of the tool itself: whether it is redacted does not change what it does.
  execute.toString = () => String(tool.execute);
  return Object.assign(Object.create(Object.getPrototypeOf(tool)), tool, { execute });
}

function recordedTool(name: string, tool: ExecutableTool, scope: SampleScope): ExecutableTool {
  const execute = async (input: unknown, options: ToolCallOptions) => {
    const run: ToolRun = { name, input, id: options.toolCallId, start: startEvent(scope) };
    return tool.pure === true ? callPure(tool, run, { scope, options }) : call(tool, run, { scope, options });
  };
  return Object.assign(Object.create(Object.getPrototypeOf(tool)), tool, { execute });
}

interface CallContext {
  readonly scope: SampleScope;
  readonly options: ToolCallOptions;
}

async function call(tool: ExecutableTool, run: ToolRun, { scope, options }: CallContext): Promise<unknown> {
  const result = await callOrReport(tool, run, { scope, options });
  scope.recorder.emit(toolEvent(scope, run, { result: toolResult(result) }));
  return result;
}

async function callPure(tool: ExecutableTool, run: ToolRun, context: CallContext): Promise<unknown> {
  const { recorder } = context.scope;
  const request: PaidRequest = {
    kind: 'tool',
    digest: digestOfJson({ tool: run.name, source: String(tool.execute), input: encodeValue(run.input) }),
  };
  const recorded = recorder.recall(request);
  if (recorded) {
    const result = decodeValue(recorded.value);
    const metadata = { holdfast: { replayed: true } };
    recorder.emit(toolEvent(context.scope, run, { result: toolResult(result), metadata }));
    return result;
  }
  const value = encodeValue(await callOrReport(tool, run, context));
  const result = decodeValue(value);
  const event = toolEvent(context.scope, run, { result: toolResult(result) });
  try {
    await recorder.record(request, { value }, [event]);
  } catch (error) {
    // To the AI SDK it would be just another tool that failed, and the model would be told about our full disk.
    context.scope.meter.stop(error);
    throw error;
  }
  return result;
}

/** A tool's error is an event here, and an answer to the model in the AI SDK; it does not end the sample. */
async function callOrReport(
  tool: ExecutableTool,
  run: ToolRun,
  { scope, options }: CallContext,
): Promise<unknown> {
  try {
    return await lastOf(await tool.execute(run.input, options));
  } catch (error) {
    const fields = { result: '', error: { type: 'unknown', message: messageOf(error) }, failed: true };
    scope.recorder.emit(toolEvent(scope, run, fields));
    throw error;
  }
}

/** A tool may yield preliminary results; the last one counts. */
async function lastOf(result: unknown): Promise<unknown> {
  if (!isAsyncIterable(result)) return result;
  let last: unknown;
  for await (const item of result) last = item;
  return last;
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}

function toolEvent(scope: SampleScope, run: ToolRun, fields: Readonly<Record<string, Json>>): LogEvent {
  const input = toJson(run.input);
  return finishEvent(scope, run.start, {
    event: 'tool',
    type: 'function',
    id: run.id,
    function: run.name,
    arguments: isJsonObject(input) ? input : { value: input },
    events: [],
    completed: isoTime(scope.clock.nowMs()),
    working_time: secondsSince(scope, run.start),
    ...fields,
  });
}

/** Inspect takes text, numbers and booleans as the result of a tool; anything else is written as JSON text. */
function toolResult(result: unknown): Json {
  if (typeof result === 'string' || typeof result === 'number' || typeof result === 'boolean') return result;
  return result === undefined
    ? ''
    : JSON.stringify(toJson(result), (_, value) => (typeof value === 'bigint' ? String(value) : value));
}
