/** Model calls in Inspect's shape (spec 1.7). */
import { isJsonObject, type Json, type JsonObject, toJson } from '../base/index.ts';
import type { ChatMessage, ModelOutput } from '../log/index.ts';
import { assistantMessageOf, stopReasonOf, textOfMessage } from './chat-messages.ts';
import type { ModelAnswer, ModelRequest } from './language-model.ts';
import { modelUsageOf } from './usage.ts';

export function modelOutputOf(options: {
  readonly answer: ModelAnswer;
  readonly model: string;
  readonly input: readonly ChatMessage[];
  readonly timeS: number;
  readonly costUsd: number | undefined;
  readonly salt: string;
}): ModelOutput {
  const { answer, model, input, timeS, costUsd, salt } = options;
  const answeredBy = String(answer.response?.modelId ?? model);
  const message = assistantMessageOf(answer.content, { model: answeredBy, input, salt });
  const usage = modelUsageOf(answer.usage);
  return {
    model: answeredBy,
    choices: [{ message, stop_reason: stopReasonOf(answer.finishReason.unified) }],
    completion: textOfMessage(message),
    usage: costUsd === undefined ? usage : { ...usage, total_cost: costUsd },
    time: timeS,
  };
}

/** What a call gave when it gave nothing; Inspect requires an output even then. */
export function emptyOutput(model: string, error: string): ModelOutput {
  return { model, choices: [], completion: '', error };
}

/** The parts of a model event that the request alone decides. */
export function requestFields(
  model: string,
  request: ModelRequest,
  input: readonly ChatMessage[],
): JsonObject {
  return {
    model,
    input: toJson(input),
    tools: (request.tools ?? []).map(toolInfo),
    tool_choice: toolChoice(request),
    config: configOf(request),
  };
}

function toolChoice({ toolChoice: choice, tools }: ModelRequest): Json {
  switch (choice?.type) {
    case 'required':
      return 'any';
    case 'tool':
      return { name: choice.toolName };
    case 'none':
      return 'none';
    default:
      return tools && tools.length > 0 ? 'auto' : 'none';
  }
}

const EFFORTS = new Set(['none', 'minimal', 'low', 'medium', 'high', 'xhigh']);

function configOf(request: ModelRequest): JsonObject {
  const config: Record<string, Json | undefined> = {
    max_tokens: request.maxOutputTokens,
    temperature: request.temperature,
    top_p: request.topP,
    top_k: request.topK,
    stop_seqs: request.stopSequences,
    seed: request.seed,
    presence_penalty: request.presencePenalty,
    frequency_penalty: request.frequencyPenalty,
    reasoning_effort: EFFORTS.has(request.reasoning ?? '') ? request.reasoning : undefined,
  };
  return Object.fromEntries(Object.entries(config).filter(([, value]) => value !== undefined));
}

type RequestTool = NonNullable<ModelRequest['tools']>[number];

function toolInfo(tool: RequestTool): JsonObject {
  if (tool.type === 'provider') {
    return { name: tool.name, description: `Tool of the provider: ${tool.id}`, parameters: objectSchema({}) };
  }
  const schema = toJson(tool.inputSchema);
  return {
    name: tool.name,
    description: tool.description ?? '',
    parameters: objectSchema(isJsonObject(schema) ? schema : {}),
  };
}

/** Inspect reads tool parameters with a strict model, so only what that model knows is written. */
function objectSchema(schema: JsonObject): JsonObject {
  const { properties, required, additionalProperties } = plainSchema(schema);
  return {
    type: 'object',
    properties: properties ?? {},
    required: required ?? [],
    additionalProperties: typeof additionalProperties === 'boolean' ? additionalProperties : false,
  };
}

const TYPES = new Set(['string', 'integer', 'number', 'boolean', 'array', 'object', 'null']);

function plainSchema(schema: JsonObject): Record<string, Json> {
  const plain: Record<string, Json> = {};
  for (const key of ['description', 'format'] as const) {
    if (typeof schema[key] === 'string') plain[key] = schema[key];
  }
  for (const key of ['default', 'enum'] as const) {
    if (schema[key] !== undefined) plain[key] = schema[key];
  }
  const types = [schema.type].flat().filter((type) => typeof type === 'string' && TYPES.has(type));
  if (types.length === 1) plain.type = types[0] as string;
  const alternatives = [schema.anyOf ?? schema.oneOf ?? []].flat().filter(isJsonObject).map(plainSchema);
  if (types.length > 1) alternatives.push(...types.map((type) => ({ type: type as string })));
  if (alternatives.length > 0) plain.anyOf = alternatives;
  if (isJsonObject(schema.items)) plain.items = plainSchema(schema.items);
  if (isJsonObject(schema.properties)) plain.properties = plainProperties(schema.properties);
  if (Array.isArray(schema.required)) plain.required = schema.required.map(String);
  if (typeof schema.additionalProperties === 'boolean')
    plain.additionalProperties = schema.additionalProperties;
  return plain;
}

function plainProperties(properties: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [
      name,
      isJsonObject(schema) ? plainSchema(schema) : {},
    ]),
  );
}
