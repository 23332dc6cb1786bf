/** An attempt whose target brings its own SDK. */
import { createOpenAI } from '@ai-sdk/openai';
import { generateText } from 'ai';
import { createOwnCalls, type LanguageModel } from '../../src/targets/index.ts';
import type { TestServer } from './http-server.ts';
import { type Attempt, type AttemptOptions, startAttempt, testModels } from './target-attempt.ts';

export type Fetch = typeof globalThis.fetch;

export const KEY = 'sk-0123456789abcdef';
export const PRICES = { 'openai-compatible/*': { input: 1, output: 10, cacheRead: 0 } };

interface World extends AttemptOptions {
  readonly models?: ReturnType<typeof testModels>;
}

export function begin(world: World = {}): { readonly attempt: Attempt; readonly fetch: Fetch } {
  const { models = testModels({ prices: PRICES }), ...options } = world;
  const attempt = startAttempt(options);
  return { attempt, fetch: createOwnCalls({ models, scope: attempt.scope }).calls.fetch };
}

export const chat = (fetch: Fetch, { url }: TestServer) =>
  createOpenAI({ apiKey: KEY, baseURL: `${url}/v1`, fetch }).chat('m');

export const ask = async (model: LanguageModel, prompt = 'Hello', maxRetries = 2) =>
  (await generateText({ model, prompt, maxRetries })).text;
