import { UsageError } from '../base/index.ts';

export type ProviderName = 'openai' | 'anthropic' | 'google' | 'openai-compatible' | 'mock';

export const PROVIDERS: readonly ProviderName[] = [
  'openai',
  'anthropic',
  'google',
  'openai-compatible',
  'mock',
];

/** How Inspect, and so every log, says that no model is involved. */
export const NO_MODEL = 'none/none';

export interface ModelName {
  readonly provider: ProviderName;
  /** The model's name at its provider. */
  readonly id: string;
  /** From `openai-compatible/<id>@<base URL>`. */
  readonly baseUrl?: string;
}

/** Reads `openai/gpt-5`, `openai-compatible/llama3@http://127.0.0.1:11434/v1`, `mock/fixed:hello`. */
export function parseModelName(name: string): ModelName {
  const slash = name.indexOf('/');
  const provider = PROVIDERS.find((known) => known === name.slice(0, Math.max(0, slash)));
  const id = name.slice(slash + 1);
  if (!provider || id === '') throw unknownModel(name);
  if (provider !== 'openai-compatible') return { provider, id };
  const at = id.search(/@https?:\/\//);
  return at < 0 ? { provider, id } : { provider, id: id.slice(0, at), baseUrl: id.slice(at + 1) };
}

export function unknownModel(name: string, hint?: string): UsageError {
  return new UsageError({
    code: 'E_MODEL_UNKNOWN',
    message: `"${name}" does not name a model.`,
    hint: hint ?? `Write provider/model, such as openai/gpt-5; the providers are ${PROVIDERS.join(', ')}.`,
  });
}
