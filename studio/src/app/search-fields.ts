import { z } from 'zod';

/** A text of an address that may be absent: empty then, and when it is nonsense. */
export const textField = z.string().max(6_000).catch('').default('');

/** One of a few words of an address; the first when it is absent or another. */
export function choiceField<const Words extends readonly [string, ...string[]]>(words: Words) {
  return z.enum(words).catch(words[0]).default(words[0]);
}

/** A whole number of an address; absent when it is none. */
export const numberField = z.coerce.number().int().min(0).optional().catch(undefined);
