import type { SdkModel } from '../evals/index.ts';

/** One model as the AI SDK calls it, in the current version of its interface. */
export type LanguageModel = SdkModel;

/** What the AI SDK asks a model for. */
export type ModelRequest = Parameters<LanguageModel['doGenerate']>[0];

/** What a model answers. */
export type ModelAnswer = Awaited<ReturnType<LanguageModel['doGenerate']>>;

export type Prompt = ModelRequest['prompt'];
export type PromptMessage = Prompt[number];
export type AnswerPart = ModelAnswer['content'][number];
export type FinishReason = ModelAnswer['finishReason']['unified'];

/** True for a model object, as opposed to a model's name or a target's settings. */
export function isLanguageModel(value: unknown): value is LanguageModel {
  return (
    typeof value === 'object' &&
    value !== null &&
    Reflect.get(value, 'specificationVersion') === 'v4' &&
    typeof Reflect.get(value, 'doGenerate') === 'function'
  );
}
