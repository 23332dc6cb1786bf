/** The kinds of value that settings are made of. */
import { z } from 'zod';
import { mustBe } from '../evals/index.ts';

export const text = must('a text that is not empty', (error) => z.string({ error }).regex(/\S/, { error }));
export const texts = must('a list of texts', (error) => z.array(text, { error }));
export const truth = must('true or false', (error) => z.boolean({ error }));
export const count = must('a whole number of at least 1', (error) => z.int({ error }).min(1, { error }));
export const usd = must('US dollars above 0, such as 2.50', (error) =>
  z.number({ error }).positive({ error }),
);
export const perMillion = must('US dollars of at least 0', (error) => z.number({ error }).min(0, { error }));

export const duration = must('a duration such as 30s, 5m or 1.5h', (error) =>
  z.union([z.string().regex(/^\d+(\.\d+)?\s*(ms|s|min|m|h|d)?$/, { error }), z.number().min(0)], { error }),
);
/** After which something ends: none at all makes no sense. */
export const period = must('a duration above 0, such as 30s, 5m or 1.5h', (error) =>
  z.union(
    [z.string().regex(/^(?=.*[1-9])\d+(\.\d+)?\s*(ms|s|min|m|h|d)?$/, { error }), z.number().positive()],
    { error },
  ),
);
export const size = must('a size such as 256 KiB or 1 MiB, or a number of bytes', (error) =>
  z.union([z.string().regex(/^\d+(\.\d+)?\s*([kKMG]i?)?B?$/, { error }), z.int().min(0)], { error }),
);

/** A schema whose every failure reads `must be <what>, not <what it is>`. */
export function must<T>(what: string, make: (error: (issue: { input?: unknown }) => string) => T): T {
  return make((issue) => mustBe(what, issue.input));
}

export function oneOf<const T extends string>(...words: readonly [T, ...T[]]) {
  return must(`one of ${words.join(', ')}`, (error) => z.enum(words, { error }));
}
