import { z } from 'zod';
import { textField } from '../app/search-fields.ts';

/**
 * `score`: the score that decides, the first when it is empty. `config`: `all` settings, or only those that differ. `idle`: `cut` where
 * the timeline leaves out the time between sessions. `tokens`: `off` where it does not show how many were used when.
 */
export const search = z.object({
  q: textField,
  sort: textField,
  cols: textField,
  score: textField,
  config: textField,
  idle: textField,
  tokens: textField,
});
