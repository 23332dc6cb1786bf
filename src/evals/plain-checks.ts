/** The plain kinds of value that definitions are made of. */
import { must } from './strict-object.ts';

export const text = must('a text that is not empty', (value): value is string => isText(value));
export const anyText = must('a text', (value): value is string => typeof value === 'string');
export const texts = must(
  'a list of texts',
  (value): value is string[] => isList(value) && value.every(isText),
);
export const truth = must('true or false', (value): value is boolean => typeof value === 'boolean');
export const count = must(
  'a whole number of at least 1',
  (value): value is number => isWhole(value) && value >= 1,
);
/** How often a row is run. More would be a slip of the hand, and a plan that no machine holds. */
export const repeats = must(
  'a whole number from 1 to 100,000',
  (value): value is number => isWhole(value) && value >= 1 && value <= 100_000,
);
export const countOrZero = must(
  'a whole number of at least 0',
  (value): value is number => isWhole(value) && value >= 0,
);
export const whole = must('a whole number', isWhole);
export const amount = must('a number above 0', (value): value is number => isFinite(value) && value > 0);
export const amountOrZero = must(
  'a number of at least 0',
  (value): value is number => isFinite(value) && value >= 0,
);
export const finite = must('a number', isFinite);
export const plainObject = must('an object', isPlainObject);
export const fn = must(
  'a function',
  (value): value is (...parameters: never) => unknown => typeof value === 'function',
);

export function oneOf<const T extends string>(...words: readonly T[]) {
  return must(`one of ${words.join(', ')}`, (value): value is T =>
    (words as readonly unknown[]).includes(value),
  );
}

export function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

function isList(value: unknown): value is unknown[] {
  return Array.isArray(value);
}

function isFinite(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value);
}
