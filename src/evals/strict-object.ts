import { z } from 'zod';
import { didYouMean } from '../base/index.ts';

/** An object with exactly these keys. An unknown key is refused, with the word that was probably meant. */
export function strictObject<Shape extends z.ZodRawShape>(thing: string, shape: Shape) {
  return z.strictObject(shape, {
    error: (issue) => {
      if (issue.code === 'unrecognized_keys') return unknownKey(thing, issue.keys, Object.keys(shape));
      if (issue.code === 'invalid_type') return mustBe(thing, issue.input);
      return undefined;
    },
  });
}

/** Checks a value with the schema that `choose` picks by its shape, so that messages speak of what was meant. */
export function chosen(choose: (value: unknown) => z.ZodType | string) {
  return z.unknown().superRefine((value, context) => {
    const schema = choose(value);
    if (typeof schema === 'string') {
      context.addIssue({ code: 'custom', message: schema, input: value });
      return;
    }
    const result = schema.safeParse(value);
    for (const issue of result.error?.issues ?? []) {
      const unknownKey = unknownKeyOf(issue);
      const path =
        unknownKey === undefined || issue.code === 'custom' ? issue.path : [...issue.path, unknownKey];
      const params = unknownKey === undefined ? {} : { params: { unknownKey } };
      context.addIssue({ code: 'custom', message: issue.message, path: [...path], input: value, ...params });
    }
  });
}

/** The key an issue complains about when it is one that should not be there. */
export function unknownKeyOf(issue: z.core.$ZodIssue): string | undefined {
  if (issue.code === 'unrecognized_keys') return issue.keys[0];
  const key: unknown = issue.code === 'custom' ? issue.params?.unknownKey : undefined;
  return typeof key === 'string' ? key : undefined;
}

/** What a value is, in plain words. */
export function kindOf(value: unknown): string {
  if (value === undefined) return 'absent';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  switch (typeof value) {
    case 'string':
      return value.length <= 40 ? `the text ${JSON.stringify(value)}` : 'a text';
    case 'number':
    case 'bigint':
      return `the number ${value}`;
    case 'boolean':
      return String(value);
    case 'function':
      return 'a function';
    default:
      return 'an object';
  }
}

/** `must be a text, not null`, or `is missing; it must be a text`. */
export function mustBe(what: string, value: unknown): string {
  return value === undefined ? `is missing; it must be ${what}` : `must be ${what}, not ${kindOf(value)}`;
}

/** A check in one line: `must be …, not …` when the value is not of that kind. */
export function must<T>(what: string, check: (value: unknown) => value is T): z.ZodType<T> {
  return z.custom<T>((value) => check(value), {
    error: (issue) => mustBe(what, issue.input),
  });
}

function unknownKey(thing: string, keys: readonly string[], known: readonly string[]): string {
  const key = keys[0] ?? '';
  return `is not a word of ${thing}${didYouMean(key, known) || `, which can have ${known.join(', ')}`}`;
}
