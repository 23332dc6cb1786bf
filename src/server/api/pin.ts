import { z } from 'zod';

/** A commit of the results, by its id or at least 7 digits of it: everything is shown as it was there, for ever. */
export const pin = z
  .string()
  .regex(/^[0-9a-f]{7,64}$/, { error: 'a commit is 7 to 64 hex digits, in lower case' })
  .describe('A commit of the results: they are shown as they were then');

/** What the commit is called in an address: `at`, and `pin` where a route has an `at` of its own. */
export function pinName({ query }: { readonly query: z.ZodType }): 'at' | 'pin' {
  return query instanceof z.ZodObject && 'at' in query.shape ? 'pin' : 'at';
}
