import { type Json, JsonSyntaxError, parseJson, toJson } from '../../base/index.ts';
import type { ScorerContext } from '../eval.ts';

export type JsonReading = { readonly value: Json } | { readonly problem: string };

/** The output as JSON: an object as it is, text parsed (the block between code fences, when there is one). */
export function outputJson(context: ScorerContext): JsonReading {
  if (typeof context.output !== 'string') return { value: toJson(context.output) };
  return readJson(context.text);
}

export function readJson(text: string): JsonReading {
  const whole = parsed(text.trim());
  if ('value' in whole) return whole;
  const fenced = /```(?:json|JSON)?\s*\n([\s\S]*?)\n?```/.exec(text)?.[1];
  return fenced === undefined ? whole : parsed(fenced.trim());
}

function parsed(text: string): JsonReading {
  try {
    return { value: parseJson(text) };
  } catch (error) {
    if (error instanceof JsonSyntaxError) return { problem: error.message };
    throw error;
  }
}
