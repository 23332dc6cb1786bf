import {
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  jsonText,
  toJson,
  UsageError,
} from '../../base/index.ts';
import type { MetricChoice, ScoreResult, Scorer, ScorerFunction } from '../eval.ts';
import { kindOf } from '../strict-object.ts';

export interface CustomScorerOptions {
  /** Default: accuracy and stderr. */
  readonly metrics?: readonly MetricChoice[];
  /** What decides the verdict besides the function's text: recorded in the log and part of the definition digest. */
  readonly options?: JsonObject;
}

/** A scorer from any function, which may return a score, a number, true or false, or a letter (C, P, I, N). */
export function scorer<Input = unknown, Output = unknown, Target = unknown>(
  name: string,
  score: ScorerFunction<Input, Output, Target>,
  { metrics, options = {} }: CustomScorerOptions = {},
): Scorer<Input, Output, Target> {
  return {
    name,
    options,
    ...(metrics !== undefined && { metrics }),
    source: score.toString(),
    score: async (context) => readScore(name, await score(context)),
  };
}

/** What a scorer gave, as a score. Users' functions may return anything, so it is checked. */
export function readScore(name: string, result: unknown): ScoreResult {
  if (typeof result === 'number' || typeof result === 'boolean' || typeof result === 'string') {
    return { value: result };
  }
  if (!isScore(result)) throw noScore(name, kindOf(result) === 'absent' ? 'nothing' : kindOf(result));
  const value = toJson(result.value);
  if (!isScoreValue(value)) throw noScore(name, `${jsonText(value).slice(0, SHOWN_MAX)} as its value`);
  return { ...result, value };
}

const SHOWN_MAX = 60;

function noScore(name: string, given: string): UsageError {
  return new UsageError({
    code: 'E_SCORER_RESULT',
    message: `The scorer ${name} gave ${given} instead of a score.`,
    hint: 'Return a number, true or false, a letter such as "C", or an object with "value": one of these, a list of them, or an object of them.',
  });
}

/** What a log can hold as the value of a score: nothing is nested in it, and only what has a name may be null. */
function isScoreValue(value: Json): boolean {
  if (isJsonArray(value)) return value.every(isScalar);
  if (isJsonObject(value)) return Object.values(value).every((item) => item === null || isScalar(item));
  return isScalar(value);
}

function isScalar(value: Json | undefined): boolean {
  return ['string', 'number', 'bigint', 'boolean'].includes(typeof value);
}

function isScore(result: unknown): result is ScoreResult {
  return typeof result === 'object' && result !== null && Reflect.get(result, 'value') !== undefined;
}
