/**
 * Scores as this room needs them. The shapes are those of the log (docs/format/log.md), declared again because the
 * arithmetic must not depend on how logs are stored.
 */
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../base/index.ts';

/** One score of one sample at one epoch. A NaN value means: unscored. */
export interface ScoreLike {
  readonly value: Json;
  readonly answer?: string;
  readonly explanation?: string;
  readonly metadata?: JsonObject;
}

/** A value as a number, and whether it had to be guessed (then it is 0, as in Inspect). */
export interface FloatValue {
  readonly float: number;
  readonly isGuess: boolean;
}

const LETTERS: Readonly<Record<string, number>> = { C: 1, P: 0.5, I: 0, N: 0 };
const WORDS: Readonly<Record<string, number>> = { yes: 1, true: 1, no: 0, false: 0 };
/** What Python's `float()` reads, without `nan` and `inf`: digits may be separated by single underscores. */
const NUMERIC = /^[+-]?(?:\d+(?:_\d+)*\.?(?:\d+(?:_\d+)*)?|\.\d+(?:_\d+)*)(?:[eE][+-]?\d+(?:_\d+)*)?$/;

/** Numbers and booleans as they are; C 1, P 0.5, I and N 0; yes/true 1, no/false 0; numeric text; else 0. */
export function toFloat(value: Json): FloatValue {
  if (typeof value === 'number') return exactly(value);
  if (typeof value === 'boolean' || typeof value === 'bigint') return exactly(Number(value));
  if (typeof value === 'string') return textToFloat(value);
  return { float: 0, isGuess: true };
}

/** The number that a value counts as; undefined where there is none: nothing is guessed. */
export function numberOfScore(value: Json): number | undefined {
  if (value === null) return undefined;
  const { float, isGuess } = toFloat(value);
  return isGuess ? undefined : float;
}

/** True for NaN at the root of a value, and for null, which older logs wrote in its place. */
export function isUnscored(value: Json): boolean {
  return value === null || Number.isNaN(value);
}

/** True for NaN itself: what reducers leave out of a list of values. */
export function isNaNValue(value: Json | undefined): boolean {
  return typeof value === 'number' && Number.isNaN(value);
}

export type ValueShape = 'scalar' | 'list' | 'record';

export function shapeOf(value: Json): ValueShape {
  if (isJsonArray(value)) return 'list';
  return isJsonObject(value) ? 'record' : 'scalar';
}

function textToFloat(text: string): FloatValue {
  const letter = own(LETTERS, text);
  if (letter !== undefined) return exactly(letter);
  const word = own(WORDS, text.toLowerCase());
  if (word !== undefined) return exactly(word);
  const trimmed = text.trim();
  if (NUMERIC.test(trimmed)) {
    const number = Number(trimmed.replaceAll('_', ''));
    if (Number.isFinite(number)) return exactly(number);
  }
  return { float: 0, isGuess: true };
}

function own(table: Readonly<Record<string, number>>, key: string): number | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}

function exactly(float: number): FloatValue {
  return { float, isGuess: false };
}
