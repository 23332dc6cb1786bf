import { definedOf } from '../base/index.ts';
import type { GenerateOptions, GenerateResult } from '../evals/index.ts';
import type { AnswerPart, LanguageModel, ModelRequest } from './language-model.ts';
import { modelUsageOf, tokenUsageOf } from './usage.ts';

/** One question, one answer: there is no loop to run, so the AI SDK need not be loaded. */
export function isPlainPrompt(options: GenerateOptions): boolean {
  const { messages, tools, schema, prompt } = options;
  return messages === undefined && tools === undefined && schema === undefined && typeof prompt === 'string';
}

/** What the AI SDK's `generateText` would do for a plain prompt. */
export async function generateOnce(
  model: LanguageModel,
  options: GenerateOptions,
  signal: AbortSignal,
): Promise<GenerateResult> {
  const answer = await model.doGenerate({ ...requestOf(options), abortSignal: signal });
  const text = joined(answer.content, 'text');
  const reasoningText = joined(answer.content, 'reasoning');
  return {
    text,
    ...(reasoningText !== '' && { reasoningText }),
    finishReason: answer.finishReason.unified,
    usage: tokenUsageOf(modelUsageOf(answer.usage)),
    steps: 1,
    messages: [{ role: 'assistant', content: answer.content.flatMap(messagePart) }],
  };
}

function requestOf(options: GenerateOptions): ModelRequest {
  const {
    prompt = '',
    system,
    temperature,
    maxOutputTokens,
    topP,
    seed,
    stopSequences,
    providerOptions,
  } = options;
  return {
    prompt: [
      ...(system === undefined ? [] : [{ role: 'system', content: system } as const]),
      { role: 'user', content: [{ type: 'text', text: prompt }] },
    ],
    ...definedOf({ temperature, maxOutputTokens, topP, seed }),
    ...(stopSequences && { stopSequences: [...stopSequences] }),
    ...(providerOptions && {
      providerOptions: providerOptions as NonNullable<ModelRequest['providerOptions']>,
    }),
  };
}

function joined(content: readonly AnswerPart[], type: 'text' | 'reasoning'): string {
  return content.map((part) => (part.type === type ? part.text : '')).join('');
}

/** In a conversation, what a provider said about a part goes back to it as an option. */
function messagePart(part: AnswerPart): object[] {
  const options = part.providerMetadata ? { providerOptions: part.providerMetadata } : {};
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return [{ type: part.type, text: part.text, ...options }];
    case 'file':
      return [{ type: 'file', mediaType: part.mediaType, data: part.data, ...options }];
    default:
      return [];
  }
}
