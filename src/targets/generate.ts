import { definedOf, UsageError } from '../base/index.ts';
import type { Generate, GenerateOptions, GenerateResult } from '../evals/index.ts';
import { generateOnce, isPlainPrompt } from './generate-once.ts';
import type { LanguageModel } from './language-model.ts';
import type { Models, OpenedModel } from './models.ts';
import { recordedTools, type Tools } from './recorded-tools.ts';
import type { Redaction } from './redaction.ts';
import type { SampleScope } from './sample-scope.ts';

export interface CreateGenerateOptions {
  readonly models: Models;
  readonly scope: SampleScope;
  /** The model that is asked when a call names none. */
  readonly model?: OpenedModel | undefined;
}

/** How many steps an agent with tools may take when it is not said; the AI SDK's own default for agents. */
const STEPS_MAX_DEFAULT = 20;

/** `generate` for target functions and scorers: every call it makes is recorded. */
export function createGenerate({ models, scope, model }: CreateGenerateOptions): Generate {
  return async (input) => {
    const options: GenerateOptions = typeof input === 'string' ? { prompt: input } : input;
    const opened = options.model === undefined ? model : await models.open(options.model);
    if (!opened) throw noModel();
    const recorded = models.recorded(opened, scope);
    return isPlainPrompt(options)
      ? generateOnce(recorded, options, scope.meter.signal)
      : generateWithSdk(recorded, options, { scope, redaction: models.redaction });
  };
}

export function noModel(): UsageError {
  return new UsageError({
    code: 'E_MODEL_NONE',
    message: 'generate() was called, but no model is named.',
    hint: 'Name one with --model, or in the call: generate({ model: "openai/gpt-5", prompt }).',
  });
}

/** The AI SDK is loaded when it is first needed: it takes longer to load than all of Holdfast. */
async function generateWithSdk(
  model: LanguageModel,
  options: GenerateOptions,
  { scope, redaction }: { readonly scope: SampleScope; readonly redaction: Redaction },
): Promise<GenerateResult> {
  const sdk = await loadSdk();
  const { prompt, system, messages, tools, maxSteps, schema, stopSequences, model: _, ...settings } = options;
  const result = await sdk.generateText({
    ...settings,
    model,
    ...(system !== undefined && { instructions: system }),
    ...((messages === undefined ? { prompt: prompt ?? '' } : { messages: [...messages] }) as {
      prompt: string;
    }),
    ...(stopSequences && { stopSequences: [...stopSequences] }),
    ...(tools && {
      tools: withSchemas(sdk, recordedTools(tools, scope, redaction)) as Parameters<
        typeof sdk.generateText
      >[0]['tools'],
    }),
    ...(schema !== undefined && { output: sdk.Output.object({ schema: schemaOf(sdk, schema) }) }),
    stopWhen: sdk.isStepCount(maxSteps ?? (tools ? STEPS_MAX_DEFAULT : 1)),
    allowSystemInMessages: true,
    maxRetries: 0, // retries are the recorded model's business
    abortSignal: scope.meter.signal,
  } as Parameters<typeof sdk.generateText>[0]);
  return toGenerateResult(result, schema !== undefined);
}

type Sdk = typeof import('ai');

async function loadSdk(): Promise<Sdk> {
  const sdk = await import('ai');
  // Warnings are in the events of the calls; on the terminal they would break the live screen.
  globalThis.AI_SDK_LOG_WARNINGS ??= false;
  return sdk;
}

/** A JSON Schema is wrapped; Zod and its like are understood as they are. */
function schemaOf(sdk: Sdk, schema: unknown): Parameters<typeof sdk.jsonSchema>[0] {
  const isStandard =
    typeof schema === 'object' && schema !== null && ('~standard' in schema || '_zod' in schema);
  const isWrapped =
    typeof schema === 'function' || (typeof schema === 'object' && schema !== null && 'jsonSchema' in schema);
  const usable =
    isStandard || isWrapped ? schema : sdk.jsonSchema(schema as Parameters<typeof sdk.jsonSchema>[0]);
  return usable as Parameters<typeof sdk.jsonSchema>[0];
}

/** A tool's input may be described by a plain JSON Schema, so that an eval with tools needs no other package. */
function withSchemas(sdk: Sdk, tools: Tools): Tools {
  return Object.fromEntries(
    Object.entries(tools).map(([name, tool]) => {
      const schema: unknown =
        typeof tool === 'object' && tool !== null ? Reflect.get(tool, 'inputSchema') : undefined;
      if (schema === undefined) return [name, tool];
      const wrapped = Object.assign(Object.create(Object.getPrototypeOf(tool)), tool);
      return [name, Object.assign(wrapped, { inputSchema: schemaOf(sdk, schema) })];
    }),
  );
}

type SdkResult = Awaited<ReturnType<Sdk['generateText']>>;

function toGenerateResult(result: SdkResult, hasSchema: boolean): GenerateResult {
  const { totalUsage: usage } = result;
  const inputTokens = usage.inputTokens ?? 0;
  const outputTokens = usage.outputTokens ?? 0;
  const cached = usage.inputTokenDetails?.cacheReadTokens;
  const reasoning = usage.outputTokenDetails?.reasoningTokens;
  return {
    text: result.text,
    ...(result.reasoningText !== undefined && { reasoningText: result.reasoningText }),
    ...(hasSchema && { object: result.output }),
    finishReason: result.finishReason,
    usage: {
      inputTokens,
      outputTokens,
      totalTokens: inputTokens + outputTokens,
      ...definedOf({ cachedInputTokens: cached, reasoningTokens: reasoning }),
    },
    steps: result.steps.length,
    messages: result.steps.flatMap((step) => step.response.messages),
  };
}
